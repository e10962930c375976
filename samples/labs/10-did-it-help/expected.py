"""Lab 10. tally_skip.c does a quarter of the work of tally.c; tally_mask.c is the same code, once compiled."""
from checking.words import listed, number, shown

TITLE = "did it help"
TAKES = "comparison"
PROGRAM = "tally"

RUNS, FUNCTION = 10, "tally"
CHANGES = {"tally_skip": "helps.json", "tally_mask": "helps_not.json"}
MOST = 0.7  # of the median of the others: it is a quarter, on a machine that always has the same speed


def changes(report, missing):
    """The pairs by the program that has the change; None: one is missing."""
    found = {}
    for pair in report.pairs:
        if pair.after.program not in CHANGES:
            missing("The report %s is about %s, and that is neither of the changed programs: %s."
                    % (shown(pair.after.name), shown(pair.after.program or None), listed(sorted(CHANGES))))
            return None
        found[pair.after.program] = pair
    for program in sorted(set(CHANGES) - set(found)):
        missing("Nothing is said about `%s`. Compare the program as it is with both changes, in one command." % program)
        return None
    return found


def legs(pairs, missing):
    found = {}
    for program, pair in pairs.items():
        leg = pair.leg(FUNCTION)
        if leg is None:
            missing("The reports of `%s` and %s have no leg `%s` in common. Time that function in each of them (`-t %s`)."
                    % (PROGRAM, shown(program), FUNCTION, FUNCTION))
            return None
        count = leg.figures["count"]
        if count.before != count.after:
            missing("The function was called %s times in one program and %s times in the other. Measure as many runs of "
                    "each, all of them whole." % (number(count.before or 0), number(count.after or 0)))
            return None
        if not count.before or 0 in (leg.figures["p50"].before, leg.figures["p50"].after):
            missing("The function was never measured in these runs. Time a function that is called (`-t %s`), and let the "
                    "programs run to their end." % FUNCTION)
            return None
        found[program] = leg.figures["p50"]
    return found


def check(report, missing):
    if not report.repeated(RUNS, missing):
        return
    pairs = changes(report, missing)
    medians = pairs and legs(pairs, missing)
    if not medians:
        return
    for program, name in CHANGES.items():
        given = pairs[program].after.name
        if given == name:
            continue
        if given in CHANGES.values():
            missing("The file names say which change helps, and these say it the wrong way round. Look at the verdict "
                    "for p50, and at the interval of the difference.")
        else:
            missing("The report of `%s` is called %s. Call the report of the change that helps `helps.json` and the "
                    "other one `helps_not.json`, and compare again." % (program, shown(given)))
        return
    helps, other = medians["tally_skip"], medians["tally_mask"]
    times = (helps.before, helps.after, other.after)
    if None in times or helps.after > MOST * helps.before or helps.after > MOST * other.after:
        missing("In these runs the machine has changed its speed from one program to the next, so that they do not "
                "show what helps. Measure all three again, with more runs (`-r 20`).")
