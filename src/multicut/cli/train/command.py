"""``multicut train``: networks from configuration files, and policies."""

from __future__ import annotations

import typer
from typer.core import TyperGroup

from multicut.cli.train.network import train_network
from multicut.cli.train.policy import train_policy


class _TrainCommands(TyperGroup):
    """Commands of which one need not be named: ``multicut train CONFIG`` trains a network."""

    default_command = "network"

    # The types are those of click, which typer brings along in its own way in each version.
    def parse_args(self, ctx, args):  # type: ignore[no-untyped-def]
        """Put the name of the default command before arguments that name none."""
        names = (*self.commands, *self.get_help_option_names(ctx))
        is_named = args and args[0] in names
        return super().parse_args(ctx, args if is_named else [self.default_command, *args])


app = typer.Typer(cls=_TrainCommands)
app.command(_TrainCommands.default_command)(train_network)
app.command("policy")(train_policy)


@app.callback()
def _train() -> None:
    """Train networks, or search for policies; `multicut train CONFIG...` trains networks, too."""
