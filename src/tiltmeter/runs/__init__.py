"""Runs: a batch of models × tests × metrics, described in a file, done job by job, and kept in a folder."""
