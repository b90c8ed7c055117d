"""The hierarchical Bayesian estimate of bias: how sure can we be, by group and by word?

Only `model.py`, `sampler.py` and what stands on their results import JAX, NumPyro and ArviZ, and `fit` imports these
when it is called.
"""
