"""Train the networks of the page again, many at a time; ``python -m paper.retrain``."""
