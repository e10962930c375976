#!/usr/bin/env bash
# The examples of samples/front_ends and samples/python, and the Python module.
# tier: full
# covers: library/python serve operations samples/front_ends samples/python
. "$(dirname "$0")/../lib.sh"

# SAN=1: python3 itself is not sanitized, and cannot load the library.
sanitized=
[[ $(basename "$BUILD") != build-san* ]] || sanitized=yes
export XDG_RUNTIME_DIR=$SCRATCH/run PYTHONPATH=$ROOT/src/library/python
export LIBPERFTOOL=$BUILD/libperftool.so.0
mkdir -m 700 "$XDG_RUNTIME_DIR"
marked=$PROGRAMS/marked

# ---- a front end in XML, and one in JSON-RPC ----
# served: starts a program that is served; sets $pid
served() {
	start "$marked" loop >calls.txt
	pid=$started
	wait_for 20 grep -q marked "/proc/$pid/comm"
	start perftool serve -n -q -p "$pid"
	wait_for 20 test -S "$XDG_RUNTIME_DIR/perftool/$pid.sock"
}
end_served() {
	kill -TERM "$pid"
	wait "$pid"
}

served
try "$ROOT/samples/front_ends/zoom.py" '*@marked' "$pid" --rounds 2 --period 0.3
is "$status $err" '0 ' 'the front end in Python zooms in'
like "$out" "measuring .*marked" 'it asks who it measures'
like "$out" 'round 2: 1 functions are timed, 1 of them matter' \
	'it gives up what does not matter'
like "$out" 'work +[1-9][0-9]* calls' 'and tells what does'
try perftool ctl "$pid" 'list breaks'
is "$(grep -c '^ *[0-9]*  [a-z]* of ' <<<"$out")" 2 'its other nodes are gone'
perftool ctl "$pid" 'save tables t.json' >/dev/null
is "$(json '[l["name"] for l in t["legs"]], {n["function"] for n in t["nodes"]}')" \
	"['work'] {'work'}" 'and so are the rows of functions that were never called'
# those of others: legs whose nodes are gone in part, and whole ones
try perftool ctl "$pid" 'time main work end'
others=$(sed -n 's/.*nodes \([0-9]*\) -> \([0-9]*\),.*/\1 \2/p' <<<"$out")
read -r -d '' -a others <<<"$others" || true
perftool ctl "$pid" "delete ${others[0]} ${others[2]}" >/dev/null
try "$ROOT/samples/front_ends/zoom.py" '*@marked' "$pid" --rounds 2 --period 0.3
is "$status $err" '0 ' 'it works beside others'
like "$out" 'round 1: 10 functions .*round 2: 1 functions ' 'with its own legs only'
try perftool ctl "$pid" 'list breaks'
is "$(grep -cE "^ *(${others[1]}|${others[3]}|${others[4]}|${others[5]})  " <<<"$out")" 4 \
	'and leaves the nodes of others in the program'
is "$(grep -c '^ *[0-9]*  [a-z]* of ' <<<"$out")" 8 'besides its own two each time'
# have_nodes N: does the program have so many nodes?
# shellcheck disable=SC2317 # wait_for calls it by name
have_nodes() {
	[ "$(perftool ctl "$pid" 'list breaks' | grep -c '^ *[0-9]*  [a-z]* of ')" = "$1" ]
}
# zoom_ends: stops a zoom that is in its first round, with the signal
zoom_ends() {
	start "$ROOT/samples/front_ends/zoom.py" '*@marked' "$pid" --period 60 >zoom.txt 2>&1
	wait_for 20 have_nodes 28
	kill -"$1" "$started"
	wait "$started" || true
}
zoom_ends INT
ok 'Ctrl-C has it give up its nodes' have_nodes 8
is "$(grep -c Traceback zoom.txt)" 0 'without a traceback'
# `time` has a line for each of the first legs only.
try perftool ctl "$pid" 'time pthread_*@libc.so.6'
many=$(($(grep -c '^Leg' <<<"$out") + $(sed -n 's/^and \([0-9]*\) more:.*/\1/p' <<<"$out")))
ok 'a pattern that names many functions' test "$many" -gt 30
before=$(perftool ctl "$pid" 'list breaks' | grep -c '^ *[0-9]*  [a-z]* of ')
start "$ROOT/samples/front_ends/zoom.py" 'pthread_*@libc.so.6' "$pid" --rounds 2 --period 0.3 \
	>zoom.txt 2>&1
wait "$started"
is "$? $(grep -c "^round [12]: $many functions are timed, 0 of them matter$" zoom.txt)" '0 2' \
	'all of which it watches'
is "$(tail -n 1 zoom.txt)" 'none of them was called' 'none of which was called'
ok 'so that it gives up none before its end, and all then' have_nodes "$before"
perftool ctl "$pid" 'save tables t.json' >/dev/null
is "$(json 'sum(l["name"].startswith("pthread_") for l in t["legs"])')" "$many" \
	'and leaves the rows of others only'
start "$ROOT/samples/front_ends/zoom.py" 'pthread_*@libc.so.6' "$pid" --period 60 >zoom.txt 2>&1
wait_for 20 have_nodes $((before + 2 * many))
kill -INT "$started"
wait "$started" || true
ok 'and Ctrl-C has it give up all' have_nodes "$before"
try "$ROOT/samples/front_ends/zoom.py" 'nosuch*' "$pid"
is "$status $err" '1 zoom.py: no function is named nosuch*' 'a pattern without a function'
try "$ROOT/samples/front_ends/zoom.py" '*@marked' "$pid" --period -1
is "$status ${err##*error: }" "2 argument --period: invalid seconds value: '-1'" \
	'a period that is none'
start "$ROOT/samples/front_ends/zoom.py" '*@marked' "$pid" --period 1 >zoom.txt 2>&1
zoomer=$started
wait_for 20 grep -q measuring zoom.txt
end_served
wait "$zoomer"
is "$? $(grep -v '^measuring\|^round' zoom.txt)" '1 zoom.py: the program has ended' \
	'the end of the program is a line'
fails_with 1 "^zoom.py: process $pid is not served" 'a process that nobody serves' \
	"$ROOT/samples/front_ends/zoom.py" work "$pid"
served
try "$BUILD/samples/front_ends/watch_legs" "$pid" 5 work main
is "$status $err" '0 ' 'the front end in C watches'
is "$(grep -c '^work [0-9]* .*main 0' <<<"$out")" 5 'it prints a line for each moment'
like "$out" 'work [1-9][0-9]* [0-9.]+us' 'with the calls and their mean time'
is "$(perftool ctl "$pid" 'list breaks')" 'No breakpoints.' 'and takes its nodes out'
try perftool ctl "$pid" 'time pthread_exit@libc.so.6'
like "$out" 'pthread_exit@libc.so.6 has no exit: it never returns' \
	'who gives a command sees the remarks on it'
perftool ctl "$pid" 'delete breaks' >/dev/null
perftool ctl "$pid" 'time work' >/dev/null
start "$BUILD/samples/front_ends/watch_legs" "$pid" 100000 work >first.txt
first=$started
wait_for 20 grep -q 'work [1-9]' first.txt
try "$BUILD/samples/front_ends/watch_legs" "$pid" 3 work
kill -INT "$first"
wait "$first" || true
is "$(grep -c 'work [1-9]' first.txt) $(grep -c 'work -' first.txt)" "$(wc -l <first.txt) 0" \
	'another watcher does not disturb its figures'
ok 'and Ctrl-C has it take out its own nodes' have_nodes 2
fails_with 2 '^usage: watch_legs' 'no number of lines' \
	"$BUILD/samples/front_ends/watch_legs" "$pid" work work
fails_with 1 '^watch_legs: .*a pattern; name each function' 'a pattern is refused' \
	"$BUILD/samples/front_ends/watch_legs" "$pid" 3 'w*rk'
end_served
wait_for 20 test ! -S "$XDG_RUNTIME_DIR/perftool/$pid.sock"
try "$ROOT/samples/front_ends/zoom.py" '*@marked'
is "$status" 1 'without a server it says so'
like "$err" 'programs are served; name a PID' 'with the remedy'

# ---- the plot in Python ----
if [ -z "$sanitized" ]; then
	start "$marked" loop >calls.txt
	pid=$started
	wait_for 20 grep -q marked "/proc/$pid/comm"
	latency=$ROOT/samples/python/latency.py
	try /usr/bin/python3 "$latency" --text work -p "$pid" --period 0.2 --pictures 2
	is "$status $err" '0 ' 'latency.py plots a function of a process'
	is "$(grep -c '^work: [1-9][0-9]* calls, mean' <<<"$out")" 2 'after each period'
	start /usr/bin/python3 "$latency" --text -p "$pid" --period 0.1 work >plot.txt 2>&1
	wait_for 20 grep -q '^work:' plot.txt
	kill -INT "$started"
	status=0
	wait "$started" || status=$?
	is "$status $(grep -c Traceback plot.txt)" '130 0' 'Ctrl-C ends it'
	like "$(cat "/proc/$pid/status")" 'TracerPid:	0' 'and leaves the process alone'
	kill "$pid"
	try /usr/bin/python3 "$latency" work --text "$marked" 100 4
	like "$out" 'work: [1-9][0-9]* calls, mean' 'an option behind the function'
	try /usr/bin/python3 "$latency" work --text -- "$marked" 100 4
	like "$out" 'work: [1-9][0-9]* calls, mean' 'and a program behind --'
	try /usr/bin/python3 "$latency" work --text
	like "$status $err" '^2 .*a program, or -p PID, is missing' 'without a program it says so'
fi

# ---- the Python module ----
if [ -z "$sanitized" ]; then
	# python: runs the program on standard input
	python() {
		try /usr/bin/python3 - "$@"
	}
	python "$marked" <<'END'
import sys, perftool
seen = []
with perftool.Session(lambda kind, *rest: seen.append(kind)) as session:
    session.command("set mechanism auto")
    session.launch(sys.argv[1], "1000", "4", env={"MARKED_WORD": "x"})
    print("said", session.command("time work"), end="")
    session.command("break probe:shop:seventh if 1")
    session.run()
    leg = session.leg(0)
    print("leg", leg.id, leg.name, leg.start, leg.end, leg.count)
    print("times", 0 < leg.min <= leg.quantile(0.5) <= leg.quantile(1)
          <= leg.max * 1.01 and leg.max <= leg.total < 60)
    print("buckets", sum(bucket.count for bucket in leg.buckets))
    # the quantiles are the library's, and p999 is that of the report
    row = session.tables()["legs"][0]
    print("quantiles", all(abs(leg.quantile(i / 100) - leg.quantiles[i]) < 1e-12
                           for i in range(101)),
          abs(leg.quantile(0.999) * 1e9 - row["p999_ns"]) < 1e-3)
    print("legs", len(session.legs()), "nodes", [n.count for n in session.nodes()])
    print("tables", session.tables()["legs"][0]["count"])
    print("end", session.exit_status, session.pid, sorted(set(seen) - {"progress"}))
    for wrong in (lambda: session.command("tmie"), lambda: session.leg(7),
                  lambda: session.run(), lambda: session.launch("/nonexistent")):
        try:
            wrong()
        except perftool.Error as error:
            print("error", error)
    for wrong in (lambda: leg.quantile(99), lambda: session.run(-1),
                  lambda: session.command("print legs\0")):
        try:
            wrong()
        except ValueError as error:
            print("ValueError", error)
try:
    session.command("help")
except perftool.Error as error:
    print("error", error)
END
	is "$status $err" '0 ' 'the module measures a program'
	like "$out" 'said Leg 0: nodes 1 -> 2' 'commands have their output'
	like "$out" 'leg 0 work work return work 1000' 'legs are tuples'
	like "$out" 'times True' 'with times in seconds'
	like "$out" 'buckets 1000' 'and their distribution'
	like "$out" 'quantiles True True' 'of which quantile() finds each part'
	is "$(grep -c '^ValueError' <<<"$out")" 3 'arguments without a meaning are refused'
	like "$out" 'legs 1 nodes \[1000, 1000, 143\]' 'all legs and nodes'
	like "$out" 'tables 1000' 'all tables as objects'
	like "$out" "end 4 None \['stop'\]" 'the exit status, and the events'
	is "$(grep -c '^error' <<<"$out")" 5 'what fails raises an exception'
	like "$out" 'word x' 'the program has its environment'

	python "$marked" <<'END'
import os, signal, sys, threading, perftool
with perftool.Session() as session:
    session.launch(sys.argv[1], "loop")
    session.command("time work")
    while not session.leg(0).count:
        session.run(0.05)
    threading.Timer(0.2, session.interrupt).start()
    try:
        session.run()
    except perftool.Interrupted:
        print("interrupted", session.leg(0).count > 0)
    session.run(0.05)
    print("goes on", session.pid is not None)
    # Ctrl-C, in a run that would not end by itself
    threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
    try:
        session.run()
    except KeyboardInterrupt:
        print("by Ctrl-C", session.pid is not None)
    session.run(0.05)
    print(session.command("print legs columns=name,count").count("work"))
END
	is "$status $err" '0 ' 'another thread interrupts a run'
	like "$out" 'interrupted True.*goes on True' 'and the session can be used further'
	like "$out" 'by Ctrl-C True.*1' 'Ctrl-C ends a run, too'

	# Ctrl-C at the moment when a run begins: the session may end at once,
	# although another thread was to make the call.
	python "$marked" <<'END'
import _thread, signal, sys, perftool
start = _thread.start_new_thread
def interrupted_before(*arguments):
    signal.raise_signal(signal.SIGINT)
    start(*arguments)
def interrupted_behind(*arguments):
    start(*arguments)
    signal.raise_signal(signal.SIGINT)
for begin in 3 * [interrupted_before] + 10 * [interrupted_behind]:
    with perftool.Session() as session:
        session.launch(sys.argv[1], "loop")
        session.command("time work")
        perftool._thread.start_new_thread = begin
        try:
            session.run()
        except KeyboardInterrupt:
            print(begin.__name__)
        _thread.start_new_thread = start
print("all ended")
END
	is "$status $err" '0 ' 'Ctrl-C may come while a run begins'
	is "$(sort <<<"$out" | uniq -c | tr -s ' \n' ' ')" \
		' 1 all ended 3 interrupted_before 10 interrupted_behind ' 'at each moment'

	# The end of a session that others still use: its threads, a child of
	# fork(2), and Python itself at its end.
	python "$marked" <<'END'
import os, sys, threading, warnings, perftool
def begin():
    session = perftool.Session(lambda *_: running.set())
    running.clear()
    session.launch(sys.argv[1], "loop")
    return session
def run(session):
    try:
        session.run()
    except perftool.Error as error:
        print(type(error).__name__, flush=True)
running = threading.Event()
session = begin()
other = threading.Thread(target=run, args=[session])
other.start()
running.wait()
session.close()
other.join()
run(session)
session = begin()
# Python 3.12 warns of each fork of a process with several threads.
warnings.simplefilter("ignore", DeprecationWarning)
child = os.fork()
if not child:
    run(session)
    sys.exit(3)
print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
session.run(0.01)
def run_silently():
    try:
        session.run()
    except perftool.Interrupted:
        pass  # Python may end before this thread could say it
running.clear()
threading.Thread(target=run_silently, daemon=True).start()
running.wait()
print("Python ends", flush=True)
END
	is "$status $err" '0 ' 'a session may end while others use it'
	is "$out" "Interrupted
Error
Error
child 3
Python ends" 'each of whom is told'
	python "$marked" <<'END'
import sys, perftool
def close(*_):
    try:
        session.close()
    except perftool.Error as error:
        said.add(str(error))
said = set()
with perftool.Session(close) as session:
    session.launch(sys.argv[1], "100")
    session.run()
print(said)
END
	is "$status $(tail -n 1 <<<"$out" | grep -o 'a handler of events may not') $err" \
		'0 a handler of events may not ' 'but a handler of events cannot end it'

	# Several threads close a session: while the main thread runs the program,
	# and while a handler of a signal interrupts the main thread.
	python "$marked" <<'END'
import signal, sys, threading, perftool
def begin(function):
    runs = threading.Event()
    session = perftool.Session(
        lambda kind, *_: kind == "progress" and runs.set())
    session.launch(sys.argv[1], "loop")
    def wait_and_close():
        runs.wait()
        function(session)
    threads = [threading.Thread(target=wait_and_close) for _ in range(3)]
    for thread in threads:
        thread.start()
    return session, threads
def interrupt_and_close(session):
    signal.raise_signal(signal.SIGINT)
    session.close()
for function in perftool.Session.close, interrupt_and_close:
    session, threads = begin(function)
    try:
        session.run()
    except (perftool.Error, KeyboardInterrupt) as error:
        print(type(error).__name__)
    while True:
        try:
            for thread in threads:
                thread.join()
            break
        except KeyboardInterrupt:
            pass
    try:
        session.run()
    except perftool.Error as error:
        print(error)
END
	is "$status $err" '0 ' 'several threads may close a session'
	like "$out" '^Interrupted
the session is closed
(KeyboardInterrupt|Interrupted)
the session is closed$' 'and all return'

	# Python frees a session on the thread that calls its handler, one that was
	# never begun, and one in a child of fork(2).
	start "$marked" loop >calls.txt
	pid=$started
	wait_for 20 grep -q marked "/proc/$pid/comm"
	python "$pid" <<'END'
import os, sys, threading, time, warnings, perftool
warnings.simplefilter("ignore", DeprecationWarning)
class Kept(perftool.Session):
    def __del__(self):
        super().__del__()
        freed.append(threading.get_ident())
kept, freed, handlers = [], [], []
def free(kind, *_):
    if kind == "report":
        handlers.append(threading.get_ident())
        kept.clear()
session = Kept(free)
session.attach(int(sys.argv[1]))
session.command("time work")
session.run(0)
session.operation("set", name="REPORTTIME", value=10)
kept.append(session)
del session
def is_traced():
    with open(f"/proc/{sys.argv[1]}/status") as status:
        return "TracerPid:\t0\n" not in status.read()
while is_traced():
    time.sleep(0.01)
print("freed by its handler", freed == handlers[:1])
try:
    perftool.Session(1, 2, 3)
except TypeError:
    print("TypeError")
session = perftool.Session()
if not os.fork():
    session.close()
    del session
    os._exit(7)
print("child", os.waitstatus_to_exitcode(os.wait()[1]))
END
	kill "$pid"
	is "$status $err" '0 ' 'Python may free a session on any thread'
	is "$out" 'freed by its handler True
TypeError
child 7' 'and a child frees none'

	python "$marked" <<'END'
import os, sys, perftool
with perftool.Session() as session:
    session.launch(sys.argv[1], "loop")
    print(session.complete("time wor@mar"), session.complete("xyzzy "))
    session.set("format", "json")
    print(session.command("print legs")[0])
    session.run(0.05)
    print([session.end()], session.exit_status)
    session.launch(sys.argv[1], "loop")
    pid = session.pid
    print(session.detach().replace(str(pid), "PID"), end="")
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    try:
        session.set("nonsense", 1)
    except perftool.Error as error:
        print("refused", error.code == 1)
END
	is "$status $err" '0 ' 'settings, completion, ends'
	is "$out" "(['marked'], 'time wor@') ([], 'xyzzy ')
{
[''] 130
Detached from process PID; it goes on by itself
refused True" 'are as in C'

	try "$ROOT/samples/python/latency.py" --text --pictures 2 --period 0.2 work "$marked" loop
	is "$status $err" '0 ' 'the example plots as text'
	is "$(grep -c '^work: [1-9][0-9]* calls, mean' <<<"$out")" 2 'as often as it was asked to'
	like "$out" '[0-9]+ #+' 'with bars'
	if /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
		try /usr/bin/python3 "$ROOT/samples/python/latency.py" --save p.png --pictures 2 \
			--period 0.2 work "$marked" loop
		is "$status" 0 'the example plots into a file'
		is "$(head -c 4 p.png | tail -c 3)" PNG 'which is a picture'
		try env -u DISPLAY -u WAYLAND_DISPLAY -u MPLBACKEND /usr/bin/python3 \
			"$ROOT/samples/python/latency.py" --pictures 2 --period 0.2 work "$marked" loop
		is "$status" 0 'the example plots without a display'
		is "$(grep -c '^work: [1-9][0-9]* calls, mean' <<<"$out")" 2 'as text'
		like "$err" '^latency.py: there is no display for a window.*--save FILE.png' \
			'and says why'
		# the notebook, on a process that runs already
		start "$marked" loop >calls.txt
		wait_for 20 grep -q marked "/proc/$started/comm"
		try /usr/bin/python3 "$ROOT/samples/python/notebook.py" work "$started" n.svg 3 0.2
		is "$status $err" '0 ' 'the notebook runs as a script'
		like "$out" 'work +[1-9][0-9,]*~? ' 'with a table'
		is "$(grep -o '<!-- \(seconds since the measuring began\|p50\|p90\|p99\|calls\) -->' n.svg |
			sort -u | wc -l)" 5 'and a picture with both plots'
		kept=$(sed -n 's/.*<!-- work: \([0-9]*\) calls -->.*/\1/p' n.svg)
		count=$(sed -n 's/^work: \([0-9]*\) calls, p99 .*/\1/p' <<<"$out")
		ok 'the process goes on between the cells' test "$count" -ge "$kept" -a "$kept" -gt 0
		is "$(foreign "$started")" 0 'and is let go of'
		fails_with 1 'process 99999999 does not exist' 'a process that does not exist' \
			/usr/bin/python3 "$ROOT/samples/python/notebook.py" work 99999999 n.svg
	else
		pass 'plots # skip python3-matplotlib is not installed'
	fi
	fails_with 1 'not found' 'a program that does not exist' \
		/usr/bin/python3 "$ROOT/samples/python/latency.py" --text work /nonexistent
fi
done_testing
