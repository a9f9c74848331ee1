"""``multicut bench`` and its subcommands."""
