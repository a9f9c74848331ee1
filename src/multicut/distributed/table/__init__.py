"""Tables in Parquet files that do not fit into memory: from edges to labels."""
