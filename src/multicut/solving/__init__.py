"""What happens between a call of ``solve`` and its result."""
