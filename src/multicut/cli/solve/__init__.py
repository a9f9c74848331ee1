"""``multicut solve``: one problem, or all of a dataset."""
