"""`python -m ptoas`: the command, without its script on the path."""

from ptoas.cli.command import command

if __name__ == "__main__":
    command()
