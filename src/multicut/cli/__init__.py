"""The command line: one module or folder for each command."""

from multicut.cli.program import main

__all__ = ["main"]
