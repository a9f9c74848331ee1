"""``multicut segment``: what it reads, does and writes."""
