"""Lab 03. The ticks say which function has the time, the counts say who calls it."""
TITLE = "where is the time"
TAKES = "tables"
PROGRAM = "words"
NEEDS_LEGS = False

HOT, CALLER = "same_word", "find_word"
COMPARISONS, WORDS = 2700662, 31902
FEWEST_TICKS = 40  # the program takes some 150 ms of CPU time


def check(report, missing):
    ticks = report.ticks()
    if ticks is None:
        missing("The report has no ticks. `profile on`, before the program runs, takes them; a report that "
                "perftool prints at the end of a batch (`-b`) has them, and `save tables` leaves them out.")
    elif sum(ticks.values()) < FEWEST_TICKS:
        missing("The report has only %d ticks. That is too few to tell where the time is: leave the rate at 1ms, and "
                "measure all of the run." % sum(ticks.values()))
    elif max(ticks, key=ticks.get) != HOT:
        missing("The most ticks of the report are not those of the function that needs the most time. Was it the "
                "whole run?")

    hot = report.named("hot", missing)
    if hot:
        if hot.times(CALLER):
            missing("The leg `hot` times %s(). Most of that time is in a function that it calls: compare the ticks "
                    "of the two." % CALLER)
        elif not hot.times(HOT):
            missing("The leg `hot` leads %s. It should time the function that has the most ticks of its own: from "
                    "its entry to where it returns." % hot.route())
        else:
            report.counted(hot, COMPARISONS, "the number of calls of that function", missing)

    caller = report.named("caller", missing)
    if caller:
        if caller.times("is_left_out"):
            missing("The leg `caller` times is_left_out(). Does that function make most of the calls? It can make at "
                    "most six for each word.")
        elif not caller.times(CALLER):
            missing("The leg `caller` leads %s. It should time the function that makes most of the calls of the "
                    "other one: from its entry to where it returns." % caller.route())
        else:
            report.counted(caller, WORDS, "the number of calls of that function", missing)
