"""Lab 07. photos.c has 200 orders, and one drier for what four developers make."""
from checking.words import number, shown

TITLE = "a queue between threads"
TAKES = "tables"
PROGRAM = "photos"

ORDERS = 200
WAY = ("order_comes", "develop", "hang_up", "dry", "pack")


def followed(report, leg, missing):
    """Does the leg follow each order, whichever thread has it?"""
    if not leg.owner.startswith("key="):
        missing("The leg %s does not follow the orders: a thread that has begun it waits for its end in the same "
                "thread, and an order goes from thread to thread. Say by `key=` which value tells the orders apart."
                % shown(leg.name))
        return False
    if leg.count < ORDERS and leg.start.count >= ORDERS and leg.end.count >= ORDERS:
        missing("The leg %s has %s executions, and there are %d orders. The value of its key, %s, does not tell them "
                "apart, or is not the same at both ends." % (shown(leg.name), number(leg.count), ORDERS,
                                                           shown(leg.owner[len("key="):])))
        return False
    return report.counted(leg, ORDERS, "the number of orders", missing)


def check(report, missing):
    whole = report.named("whole", missing)
    if whole and not (report.leads(whole, WAY[0], WAY[-1], missing) and followed(report, whole, missing)):
        whole = None

    part = report.named("bottleneck", missing)
    if not part:
        return
    begins = next((i for i, function in enumerate(WAY) if part.start.begins(function)), None)
    if begins is None or begins + 1 == len(WAY) or not part.end.begins(WAY[begins + 1]):
        missing("The leg `bottleneck` leads %s. It should lead from the entry of one of the five functions on an "
                "order's way to the entry of the next one." % part.route())
    elif WAY[begins] != "hang_up":
        missing("The leg `bottleneck` leads %s, and that is not where the orders spend most of their time. Measure "
                "all four parts of the way, and compare the column Total Time." % part.route())
    elif followed(report, part, missing) and whole and whole.total and part.total < 0.4 * whole.total:
        missing("The leg `bottleneck` has less than half of the time of `whole` in this report. Were both measured "
                "in the same run, with a key that tells the orders apart?")
