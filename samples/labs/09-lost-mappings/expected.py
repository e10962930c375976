"""Lab 09. In album.c square() loses the mapping that it has made of a picture that is a square already."""
from checking.fields import field
from checking.words import number, shown

TITLE = "lost mappings"
TAKES = "tables"
PROGRAM = "album"

LEAK = "square"
STEPS = ("open_picture", "rotate", "crop", "square", "share", "preview", "keep")


def left_by(spy):
    """Of each function how many mappings are left that were made while it was called."""
    left = {}
    for sample in field(spy, "samples", list):
        sign = {"created": 1, "deleted": -1}.get(field(sample, "reason", str), 0)
        weight = sign * field(sample, "weight", int)
        functions = {field(frame, "function", str, None) for frame in field(sample, "stack", list)}
        for function in functions & set(STEPS):
            left[function] = left.get(function, 0) + weight
    return left


def spied(report, missing):
    """What the Spy has of mappings, by function; None: it has not seen them."""
    spy = report.whole.get("spy")
    if not isinstance(spy, dict):
        missing("The report has nothing of the Spy. `spy watch spaces` and `spy on` go before the program runs, and "
                "the report has what the Spy has recorded if the commands do not run the program themselves.")
        return None
    watch = field(field(spy, "measurement", dict), "watch", str, None)
    if watch != "spaces":
        missing("The Spy has watched %s. To see mappings that come and go, give the command `spy watch spaces` before "
                "`spy on`." % shown(watch))
        return None
    left = left_by(spy)
    if left.get("rotate") is None or left.get(LEAK, 0) <= 0:
        missing("The Spy has not seen the mappings of the whole run. Turn it on before the program runs, and do not "
                "turn it off.")
        return None
    return left


def check(report, missing):
    left = spied(report, missing)
    leak = report.named("leak", missing)
    if not leak:
        return
    function = leak.start.function
    if function not in STEPS or leak.end.function != function:
        missing("The leg `leak` leads %s. It should begin and end in the function that loses mappings: one of those "
                "that main() calls." % leak.route())
    elif function != LEAK:
        missing("The leg `leak` is in %s(), and that one does not lose mappings%s."
                % (function, ": what it keeps, it keeps for a purpose, and does not keep more and more of it"
                   if function == "keep" else ". Look at the column left of the Spy's display"))
    elif left and leak.count != left[LEAK]:
        missing("The leg `leak` has %s executions, and %s mappings are lost in its function. It should have one for "
                "each: a condition is to leave out the calls that lose nothing." % (number(leak.count), number(left[LEAK])))
