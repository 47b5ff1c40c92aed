"""The demonstration: documents recomputed, a classifier trained, its gradient checked."""
