"""Training runs: their curves and settings, and which of them may be compared."""
