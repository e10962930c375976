"""How the checker writes to students."""
import textwrap

LONGEST_NAME = 60
LONGEST_TEXT = 1500


def printable(text):
    return "".join(c if c.isprintable() else "?" for c in text)


def paragraph(text):
    """The text in lines for a terminal. It may have names from a report, which may be anything."""
    text = printable(text.replace("\n", " "))
    if len(text) > LONGEST_TEXT:
        text = text[:LONGEST_TEXT] + "..."
    return textwrap.fill(text, 78, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def shown(name):
    """A name that a report has, as it may be printed at a terminal."""
    if name is None:
        return "(no name)"
    text = printable(str(name))
    return "`%s`" % (text if len(text) <= LONGEST_NAME else text[:LONGEST_NAME] + "...")


def listed(names):
    """Names in a row, no more of them than one can read."""
    names = [shown(name) for name in names]
    if not names:
        return "none"
    return ", ".join(names[:8] + (["and %d more" % (len(names) - 8)] if len(names) > 8 else []))


def number(value):
    return format(value, ",")
