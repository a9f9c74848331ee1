"""Which IrisMP fits all published statistics: ways to make it, their fit, and the search."""
