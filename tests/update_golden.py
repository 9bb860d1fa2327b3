"""`python -m tests.update_golden`: write the kept C++ anew; look at the difference before committing it."""

from __future__ import annotations

from tests.golden.cases import GOLDEN, HERE


def main() -> None:
    wanted = {golden.path for golden in GOLDEN}
    for stale in set(HERE.glob("*.cpp")) - wanted:
        stale.unlink()
    for golden in GOLDEN:
        golden.path.write_text(golden.text())
    print(f"{len(GOLDEN)} files written")


if __name__ == "__main__":
    main()
