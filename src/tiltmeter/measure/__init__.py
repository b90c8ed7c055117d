"""Measuring: words and sentences go into a model, its arrays into a metric, and a measurement comes out."""
