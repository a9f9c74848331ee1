"""A campaign against our own package: see docs/reliability.md for what it found."""
