"""Annotated programs checked: when they are defined, at each call, and from the command line.

What an annotation says: forms.py, annotations.py (read), matching.py (a value held to it),
invented.py (a value made of it). `tad.program`: program.py, signature.py, running.py (tried out on
shapes), calls.py, scope.py (named dimensions), returning.py (the line of a result). `taglessad
check`: check.py, sources.py, discovery.py, findings.py; the same in pytest: pytest_plugin.py.
"""
