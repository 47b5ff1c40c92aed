"""The primitives, one file a family: method of the vocabulary, shape rule, derivative rules."""
