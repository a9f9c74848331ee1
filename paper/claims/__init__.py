"""What the paper says, beside what the tables of the page show."""
