"""`python -m ptoas`: the command, without its script on the path."""

from ptoas.cli.main import main

if __name__ == "__main__":
    main(prog_name="ptoas")
