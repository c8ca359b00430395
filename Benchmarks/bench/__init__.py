"""What the programs cost, measured from outside; see Benchmarks/README.md."""
