"""The explorer: a page to see how a model leans, and a server that computes what the page shows."""
