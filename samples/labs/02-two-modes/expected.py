"""Lab 02. What decides is whether the table is packed; any expression that tells these calls apart
is right."""
TITLE = "distribution, not mean"
TAKES = "tables"
PROGRAM = "queries"

QUERIES, SLOW = 6000, 409
MANY_TIMES = 10  # a slow call takes some 60 times as long as another
MOST_VALUES = 12


def check_split(leg, missing):
    values = [row for row in leg.rows if row.kind == "value"]
    if not leg.by:
        missing("The leg `%s` is not split. `time answer by=EXPR` splits it by the value of an expression." % leg.name)
    elif any(row.kind == "error" for row in leg.rows):
        missing("The expression `%s` could not be evaluated at some calls (the row `(error)`)." % leg.by)
    elif len(values) > MOST_VALUES or len(values) != len(leg.rows):
        missing("The expression `%s` has too many values. One that has a few values decides how long a call takes."
                % leg.by)
    elif len(values) < 2:
        missing("The expression `%s` has one value only, and splits nothing." % leg.by)
    else:
        typical = [row.p50 for row in values if row.p50 is not None]
        least = max(min(typical, default=0), 1)
        slow = sum(row.count for row in values if row.p50 is not None and row.p50 > MANY_TIMES * least)
        if slow == SLOW:
            return
        if slow == 0:
            why = "no row has slow calls only: each has calls of both kinds"
        else:
            why = "the slow rows have %d calls, and these are not all slow calls and no others" % slow
        missing("The split by `%s` does not tell the two kinds of calls apart: %s. Compare the columns Min, p50 and "
                "Max of each row, and try another expression." % (leg.by, why))


def check(report, missing):
    leg = report.timed("answer", missing, but_not="slow")
    if leg and report.counted(leg, QUERIES, "the number of calls of answer()", missing):
        check_split(leg, missing)

    slow = report.named("slow", missing)
    if not slow:
        return
    if not slow.times("answer"):
        missing("The leg `slow` leads %s. It should lead from the entry of answer() to where it returns."
                % slow.route())
    elif slow.count == QUERIES:
        missing("The leg `slow` has all calls of answer(). A condition at its first node chooses the slow ones: "
                "`time answer if CONDITION name=slow`.")
    elif slow.count == QUERIES - SLOW:
        missing("The leg `slow` has all calls but the slow ones.")
    else:
        report.counted(slow, SLOW, "the number of slow calls", missing)
