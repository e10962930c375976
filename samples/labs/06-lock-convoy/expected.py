"""Lab 06. Each of the three clerks of bank.c serves 60 customers."""
from checking.fields import field

TITLE = "a lock convoy"
TAKES = "tables"
PROGRAM = "bank"

CUSTOMERS = 180
LOCK, HOLDER = "ledger", "archive"


def clerk_work(report, name, function, columns, missing):
    """The leg of this name, if it times this one of the two functions that serve() calls."""
    leg = report.named(name, missing)
    if not leg:
        return None
    timed = next((f for f in ("post", "accrue") if leg.times(f)), None)
    if timed is None:
        missing("The leg `%s` leads %s. It should lead from the entry of one of the two functions that serve() calls "
                "to where that function returns." % (name, leg.route()))
    elif timed != function:
        missing("The leg `%s` times %s(), and that is not the one that %s. Compare the columns %s."
                % (name, timed, name, columns))
    elif report.counted(leg, CUSTOMERS, "the number of customers", missing):
        return leg
    return None


def held_up(report, missing):
    """The waits for the lock of the clerks; None: they are not there."""
    if "contention" not in report.whole:
        missing("The report does not say who waits for which lock. Give the command `set contention on` before the "
                "program runs.")
        return None
    for lock in field(field(report.whole, "contention", dict), "locks", list):
        if field(lock, "lock", str) == LOCK:
            return lock
    missing("Nobody has waited for the lock of the clerks while waits were recorded. Give the command `set contention "
            "on` before the program runs, and do not turn it off.")
    return None


def check(report, missing):
    waits = clerk_work(report, "waits", "post", "On CPU and Waiting, or look who waits for a lock", missing)
    computes = clerk_work(report, "computes", "accrue", "On CPU and Waiting", missing)
    if waits and computes and waits.cpu is not None and computes.cpu is not None \
            and waits.cpu * 3 > computes.cpu:
        missing("In this run the function that should wait was on a CPU for longer than it can be. Measure again.")

    lock = held_up(report, missing)
    if lock and waits and waits.total and field(lock, "total_ns", int) < 0.2 * waits.total:
        missing("Only a small part of the time of `waits` is recorded as waits for a lock. Turn `set contention on` "
                "before the program runs.")

    holder = report.named("holder", missing)
    if not holder:
        return
    if not holder.start.function or not holder.times(holder.start.function):
        missing("The leg `holder` leads %s. It should lead from the entry of the function that has the lock while the "
                "clerks wait to where that function returns." % holder.route())
    elif not holder.times(HOLDER):
        missing("The leg `holder` times %s(), and that is not the function that keeps the clerks waiting. `print "
                "contention` has a table of who held the lock meanwhile: look at Others waited."
                % holder.start.function)
    elif holder.count == 0 or holder.count < holder.start.count * 0.5:
        missing("The leg `holder` has hardly any executions. Has it a condition?")
    elif lock and not any(field(row, "function", str, None) == HOLDER for row in field(lock, "holders", list)):
        missing("The waits of this report do not show who held the lock. Turn `set contention on` before the program "
                "runs, and measure again.")
