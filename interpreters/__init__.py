"""The interpreters: one file each, none knowing another except through `Ops`."""
