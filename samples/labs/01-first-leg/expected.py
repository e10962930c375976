"""Lab 01. The counts are those of parcels.c, which are the same in each run."""
TITLE = "a first leg"
TAKES = "tables"
PROGRAM = "parcels"

PARCELS, WEIGHINGS = 3000, 5015


def check(report, missing):
    weigh = report.timed("weigh", missing)
    if weigh:
        report.counted(weigh, WEIGHINGS, "the number of calls of weigh()", missing)

    desk = report.named("desk", missing)
    if desk and report.leads(desk, "receive", "load", missing):
        report.counted(desk, PARCELS, "the number of parcels", missing)

    slowest = report.named("slowest", missing)
    if not slowest:
        return
    step = next((name for name in ("weigh", "wrap", "stamp") if slowest.times(name)), None)
    if step is None:
        missing("The leg `slowest` leads %s. It should lead from the entry of one of the three steps to where "
                "that step returns." % slowest.route())
    elif step != "wrap":
        missing("The leg `slowest` times %s(). Of the three steps that one does not take the most time in all: "
                "compare the column Total Time." % step)
    elif slowest.count == 0 or desk and desk.total and slowest.total < 0.2 * desk.total:
        missing("The leg `slowest` has not all calls of wrap(): does it have a condition?")
