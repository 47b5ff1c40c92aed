"""Text made safe inside SVG and HTML."""

import re
from html import escape
from typing import Final

# What XML 1.0 (section 2.2) allows in no document, escaped or not. Compiled at the first use, not
# when the library is imported: so large a class takes milliseconds.
_FORBIDDEN: Final = "[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def escaped(text: str) -> str:
    """Text for element content and quoted attributes, whatever is in it."""
    return escape(re.sub(_FORBIDDEN, "\ufffd", text))
