"""The vocabulary on XLA: what the `Jax` interpreter runs. Importing any module here imports JAX."""
