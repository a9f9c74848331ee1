"""The command line: one module for each command."""

from multicut.cli.app import main

__all__ = ["main"]
