"""Branches and loops as operations: their bodies are recorded once and run under any interpreter."""
