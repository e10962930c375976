"""Lab 08. In shop.c one of 25 calls of find() takes a hundred times as long as the others."""
from checking.words import number, shown

TITLE = "a slow server"
TAKES = "tables"
PROGRAM = "shop"
ENDS = False

KINDS = ("look", "buy", "find", "count")
STEPS = ("look", "buy", "find", "count_stock")
ENOUGH = 100  # requests of the kind: four of them are slow
# Times as long as the median: far less than on a quiet machine, because where four programs want each
# processor, each request waits some milliseconds for one.
TAIL = 1.5


def attached(report, missing):
    if report.args and report.args[0] == "visit":
        missing("The report is about the visitors. Measure the process that serves them.")
        return False
    if report.state not in ("detached", "running", "stopped"):
        missing("The server was not running when perftool came, or has ended (its state is %s). Start the server by "
                "itself, attach to it with `-p`, and let it go on: `--for 3s` ends the measuring." % shown(report.state))
        return False
    return True


def by_kind(report, missing):
    """The row of the kind with the tail, of a leg that times each request by its kind; None: it is not there."""
    legs = [leg for leg in report.legs if leg.times("handle")]
    if not legs:
        report.timed("handle", missing)
        return None
    legs = [leg for leg in legs if {row.value for row in leg.rows} >= set(KINDS)]
    if not legs:
        missing("The leg of handle() does not tell the four kinds of requests apart. Split it by the parameter that "
                "has the kind: `by=EXPR`. Were there visitors while you measured?")
        return None
    row = next(row for row in legs[0].rows if row.value == "find")
    if row.count < ENOUGH:
        missing("%s requests of a kind are too few to speak of the slowest hundredth. Measure for longer, while the "
                "visitors come." % number(row.count))
        return None
    return row


def check(report, missing):
    if not attached(report, missing):
        return
    row = by_kind(report, missing)

    worst = report.named("worst", missing)
    if not worst:
        return
    timed = next((name for name in STEPS if worst.times(name)), None)
    if timed is None:
        missing("The leg `worst` leads %s. It should lead from the entry of the function that handle() calls for one "
                "of the four kinds to where that function returns." % worst.route())
    elif timed != "find":
        missing("The leg `worst` times %s(), and that is not the kind with the longest tail. Compare p99 with p50, "
                "row by row." % timed)
    elif row and worst.count < 0.5 * row.count:
        missing("The leg `worst` has %s executions; that is not all of these requests. Has it a condition, or was it "
                "added late?" % number(worst.count))
    elif row and (worst.p50 is None or worst.p99 is None or worst.p99 < TAIL * worst.p50):
        missing("In this report the leg `worst` has no tail: its p99 is less than %s times its p50. Measure for "
                "longer, with the places that the page asks for." % TAIL)
