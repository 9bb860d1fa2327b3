"""Write the grammars of the editors."""

from ptoas.editors.write import write

if __name__ == "__main__":
    write()
