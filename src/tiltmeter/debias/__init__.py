"""Debiasing: fit what takes a bias out of an embedding, apply it, and show what that did and did not do.

`fit` and `Debiaser.transform` need numpy and scipy alone; only the projections of language models import torch.
"""
