"""Lab 04. Least times are compared, because other programs lengthen the others."""
TITLE = "rows and columns"
TAKES = "tables"
PROGRAM = "matrix"

SIZES = (64, 256, 1024)
ROUNDS = 25
LONGER = 2  # what the page calls much longer
# The n was chosen by another run, in which the core may have been slower or faster: it may share
# its units with another one. The times of small matrices then are up to 2.5 times as long, and those
# of large ones, which wait for memory, hardly longer. (On an AMD EPYC of the fifth generation, 256
# took 1.3 to 3.2 times as long as 64.)
LEAST_CHOSEN, MOST_BEFORE = 1.2, 4


def least_by_size(report, function, missing):
    """{n: the least time of a call}, if the leg of the function is right."""
    leg = report.timed(function, missing, but_not="slow")
    if not leg:
        return None
    if not report.counted(leg, ROUNDS * len(SIZES), "the number of calls of %s()" % function, missing):
        return None
    if not leg.by:
        missing("The leg `%s` is not split by n: `time %s by=n`." % (leg.name, function))
        return None
    if sorted(row.value for row in leg.rows if isinstance(row.value, int)) != list(SIZES) or \
            any(row.count != ROUNDS or row.min is None for row in leg.rows):
        missing("The leg `%s` is split by `%s`, and not by the number of rows: n." % (leg.name, leg.by))
        return None
    return {row.value: max(row.min, 1) for row in leg.rows}


def check_slow(leg, columns, missing):
    if not leg.times("sum_columns"):
        missing("The leg `slow` leads %s. It should lead from the entry of sum_columns() to where it returns."
                % leg.route())
    elif leg.count == 0 or leg.count % ROUNDS or leg.count > ROUNDS * len(SIZES):
        missing("The leg `slow` has %d executions, and sum_columns() is called %d times for each n. It should have "
                "the calls with all n from a certain one on: `break entry sum_columns if n >= ...`."
                % (leg.count, ROUNDS))
    elif leg.count == ROUNDS * len(SIZES):
        missing("The leg `slow` has the calls with all n, also the smallest one.")
    elif columns:
        first = len(SIZES) - leg.count // ROUNDS
        chosen, before = (columns[SIZES[i]] / columns[SIZES[0]] for i in (first, first - 1))
        if chosen < LEAST_CHOSEN:
            missing("The leg `slow` begins with n = %d, where the least time is not %s times that of n = %d yet."
                    % (SIZES[first], LONGER, SIZES[0]))
        elif before > MOST_BEFORE:
            missing("The leg `slow` begins with n = %d, and a smaller n takes more than %s times as long as n = %d "
                    "already." % (SIZES[first], LONGER, SIZES[0]))


def check(report, missing):
    rows = least_by_size(report, "sum_rows", missing)
    columns = least_by_size(report, "sum_columns", missing)
    largest = SIZES[-1]
    if rows and columns and columns[largest] / columns[SIZES[0]] < LEAST_CHOSEN * rows[largest] / rows[SIZES[0]]:
        missing("In this report the columns do not take longer than the rows. Measure again.")
    slow = report.named("slow", missing)
    if slow:
        check_slow(slow, columns, missing)
