"""Programs to look at: a graph as text, DOT, SVG and HTML; the reverse pass of a function at a point.

A picture is made in three steps, each in a file of its own: what it says (picture, reverse_picture),
where things stand (layout, ordering, spacing), how they are drawn (svg, dot).
"""

import taglessad.view.forms as forms
from taglessad.graph import Display as _Display
from taglessad.view.files import write_views as write_views
from taglessad.view.reverse import ReverseView as ReverseView
from taglessad.view.reverse import reverse_view as reverse_view

_Display.forms = forms
