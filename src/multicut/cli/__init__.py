"""The command line: one module for each command."""

from multicut.cli.program import main

__all__ = ["main"]
