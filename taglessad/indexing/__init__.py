"""x[...] and x.at[...]: NumPy's indexing, and updates that give a new handle."""

from taglessad.indexing.reading import getitem as getitem
from taglessad.indexing.updating import At as At
