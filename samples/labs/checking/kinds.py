"""What can be handed in: which kind of JSON a file has, and the class for it."""
import json

from checking.comparison import Comparison
from checking.fields import Damaged
from checking.tables import Tables

# The name for TAKES: what it is, how one gets it, the fields by which it is
# known, and the class that reads it. A tuple for each.
KINDS = {
    "tables": ("the tables of a report", "`-f json -o FILE.json`, or `save tables FILE.json`",
               {"nodes", "legs", "summary"}, Tables),
    "profile": ("a profile", "`save profile FILE.json`",
                {"samples", "arcs", "measurement"}, None),
    "comparison": ("a comparison", "`perftool compare BEFORE.json AFTER.json -f json -o FILE.json`",
                   {"comparisons", "conditions_held"}, Comparison),
}


def kind_of(value):
    for name, (_, _, fields, _) in KINDS.items():
        if isinstance(value, dict) and fields <= set(value):
            return name
    return None


def constant(name):
    raise ValueError("%s is no number of JSON" % name)


def parsed(content):
    """(value, problem): what the file holds, or why it is no report."""
    if not content.strip():
        return None, "The file is empty. Look at what perftool said when you measured: an error in a command ends it before " \
            "there is a report. Where the commands run the program themselves (`run`), perftool prints none at the end: " \
            "`save tables FILE.json` behind `run` writes one."
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None, "The file is no JSON: it is no text. `-f json -o FILE.json` writes a report as JSON."
    try:
        return json.loads(text, parse_constant=constant), None
    except RecursionError:
        return None, "The file is no report: its objects lie in each other without an end."
    except ValueError:
        pass
    if text.lstrip()[0] != "{":
        return None, "The file is no JSON. `-f json -o FILE.json` writes a report as JSON; text and CSV are to be read, not to be checked."
    lines = text.strip().splitlines()
    if len(lines) > 1:
        try:
            json.loads(lines[0])
            return None, "The file has several reports, one in each line, as `--every` writes them. Hand in one report."
        except (ValueError, RecursionError):
            pass
    return None, "The file is no whole report: the JSON breaks off, or was changed by hand. Measure again, and hand in the file as perftool has written it."


def report_of(content, lab):
    """(report, problem): an object of the class for what the lab takes, or why there is none."""
    takes, how, _, reader = KINDS[lab["TAKES"]]
    value, problem = parsed(content)
    if problem:
        return None, problem
    kind = kind_of(value)
    if kind is None:
        return None, "This is JSON, but no report of perftool. Lab %s takes %s: %s." % (lab["NUMBER"], takes, how)
    if kind != lab["TAKES"]:
        return None, "This is %s. Lab %s takes %s: %s." % (KINDS[kind][0], lab["NUMBER"], takes, how)
    return reader(value), None


__all__ = ["Damaged", "KINDS", "report_of"]
