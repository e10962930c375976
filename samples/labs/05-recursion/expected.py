"""Lab 05. The figures of the profile differ from machine to machine; which function has the most
time of its own does not."""
TITLE = "recursion: self and total"
TAKES = "tables"
PROGRAM = "formula"

CALLS = {"evaluate": 43900, "multiply": 8900, "power": 1600}
ROUNDS = 100


def check_profile(report, missing):
    calls = report.function_calls()
    if calls is None:
        missing("The report has no profile of functions. `profile functions '*'`, before the program runs, makes one; "
                "a report that perftool prints at the end of a batch (`-b`) has it, and `save tables` leaves it out.")
        return
    absent = [name for name in CALLS if name not in calls]
    wrong = [name for name in CALLS if name in calls and calls[name] != CALLS[name]]
    if absent:
        missing("The profile of functions has no row for %s()." % absent[0])
    elif wrong:
        missing("The profile does not have the right number of calls of %s(). Was it the whole run, and one run only?"
                % wrong[0])


def check(report, missing):
    check_profile(report, missing)

    nested = report.timed("evaluate", missing, match="nested")
    if nested:
        report.counted(nested, CALLS["evaluate"], "the number of calls of evaluate()", missing)

    whole = report.named("whole", missing)
    if whole:
        if not whole.times("evaluate"):
            missing("The leg `whole` leads %s. It should lead from the entry of evaluate() to its exit."
                    % whole.route())
        elif whole.match != "outermost":
            missing("The leg `whole` has match=%s. With that it does not lead from the outermost entry of evaluate() "
                    "to the outermost exit." % whole.match)
        else:
            report.counted(whole, ROUNDS, "the number of times that the formula is evaluated", missing)

    own = report.named("own", missing)
    if own:
        other = next((name for name in CALLS if name != "power" and own.times(name)), None)
        if other:
            missing("The leg `own` times %s(). Another function has more time of its own: compare the column Self."
                    % other)
        elif not own.times("power"):
            missing("The leg `own` leads %s. It should time the function that has the most time of its own: from its "
                    "entry to where it returns." % own.route())
        else:
            report.counted(own, CALLS["power"], "the number of calls of that function", missing)
