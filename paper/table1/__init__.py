"""Table 1: quality on the test sets."""
