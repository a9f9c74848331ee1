"""``multicut train`` and its subcommands."""
