"""Published experiments, done again: one module a source, its printed figures in `data/`, and the run it makes."""
