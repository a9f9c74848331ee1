"""Measured numbers as the pages state them, in a module for each page or file of results."""
