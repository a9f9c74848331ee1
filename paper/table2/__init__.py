"""Table 2: run time against size."""
