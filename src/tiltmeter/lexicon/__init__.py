"""Word sets, templates and tests, and the sentences made from them."""
