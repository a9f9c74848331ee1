"""``multicut plot`` and its subcommands."""
