# ruff: noqa: A005  (mirrors src/multicut/io)
