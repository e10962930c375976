#!/usr/bin/env bash
# Options, streams and exit statuses.
# tier: core
# covers: ui
. "$(dirname "$0")/../lib.sh"

# ---- exit statuses ----
for status_wanted in 0 1 42 255; do
	times work -- "$PROGRAMS/ends" exit $status_wanted
	is "$status" $status_wanted "the tool ends with the program's status $status_wanted"
done
for signal in 6 9 11 15; do
	times work -- "$PROGRAMS/ends" signal $signal
	is "$status" $((128 + signal)) "signal $signal ends the program: the status tells the signal"
	is "$(json 't["program"]["exit_signal"], t["program"]["state"]')" \
		"$signal signaled" "signal $signal ends the program: the report tells the signal"
	is "$(json 'time("work")["count"]')" 10 \
		"signal $signal ends the program: every call is counted"
done
times work -- "$PROGRAMS/ends" exit 42
is "$(json 't["program"]["exit_status"], t["program"]["state"]')" \
	'42 exited' 'the report has the exit status'
fails_with 127 nosuch 'a program that does not exist: status 127' \
	perftool -t main nosuchprogram
fails_with 127 nosuch 'a path that does not exist: status 127' \
	perftool -t main ./nosuchprogram
mkdir beside
cp "$PROGRAMS/pie" beside/at_hand
fails_with 127 "at_hand: not found in PATH; the one in this directory is ./at_hand" \
	'a program of the current directory that is not in PATH gets a hint' \
	sh -c 'cd beside && perftool -t main at_hand'
echo text >plain
fails_with 126 plain 'a file that may not be executed: status 126' \
	perftool -t main ./plain
mkdir directory
fails_with 126 directory 'a directory as program: status 126' perftool -t main ./directory
fails_with 125 nosuch 'an unknown option: status 125' perftool --nosuch ls
fails_with 125 'for' 'an option without its argument: status 125' perftool --for
try perftool --version
like "$status $out" '^0 perftool [0-9]+\.[0-9]+' '--version prints the version'
try perftool --help
like "$status $out" '^0 Usage: perftool' '--help prints the usage'
is "$(grep -c '^  perftool ' <<<"$out")" 3 '--help has three examples'
like "$out" '--for DURATION' '--help lists options'
for word in serve who ctl; do
	try perftool $word --help
	like "$status $out" "^0 Usage: perftool $word " "$word --help prints its own usage"
	is "$(grep -c '.\{80\}' <<<"$out")" 0 'in lines of less than 80 characters'
done
try perftool --help
perftool --man "$ROOT/doc/perftool.1.in" >man.1
echo '@OPTION LINES@' >lines.in
perftool --man lines.in >lines
missing=
while IFS='|' read -r letter option _; do
	grep -q -e "--$option" <<<"$out" || missing+=" $option"
	grep -qF -e "\\-\\-${option//-/\\-}" man.1 || missing+=" man:$option"
	[ -z "$letter" ] || grep -qF -e "\\-$letter" man.1 || missing+=" man:$letter"
done <lines
ok 'there is a list of options' [ "$(wc -l <lines)" -gt 20 ]
is "$missing" '' 'the usage and the man page describe every option'
fails_with 125 'perftool needs Linux 5\.3 or newer, and this kernel is 2\.6\.' \
	'a kernel that is too old: status 125' \
	setarch "$(uname -m)" --uname-2.6 perftool -t work "$PROGRAMS/pie"
try setarch "$(uname -m)" --uname-2.6 perftool --version
is "$status" 0 '--version works on a kernel that is too old'
try perftool -q -n -e 'break entry work' -e run -e kill "$PROGRAMS/pie"
is "$status" 137 'the command kill ends the program: status 137'
try perftool -q -n -e 'break entry work' -e run "$PROGRAMS/pie"
is "$status" 0 'a program that is stopped when the commands end: status 0'
try perftool -q -n -e 'break entry work' -e run -e nonsense "$PROGRAMS/pie"
is "$status" 125 'a command that fails: status 125'
like "$err" '^[^'$'\n'']*nonsense[^'$'\n'']*$' 'a command that fails: one line names the command'
try perftool -q -n -e 'run' "$PROGRAMS/ends" exit 5
is "$status" 5 'the tool ends with the status of a program that the command run ran'

# ---- messages under -q ----
try perftool -q -n -b -e 'time mallc@libc.so.6' -e run "$PROGRAMS/ends" exit 0
like "$err" '^mallc@libc\.so\.6 was never found: [^'$'\n'']* \(near names: malloc' \
	'-q: a function that was never found is reported'
is "$(wc -l <<<"$err")" 1 '-q: only the function that was never found is reported'
try perftool -q -n -b --pending -e 'break entry on_interrupt' -e 'break exit nowork' \
	-e run "$PROGRAMS/ends" exit 0
like "$err" '^nowork was never found: no function nowork in ends, [^'$'\n'']*$' \
	'-q: a function that was found but not reached is not reported'
try perftool -n -b -e 'time mallc@libc.so.6' -e run "$PROGRAMS/ends" exit 0
is "$(grep -c 'never found' <<<"$err")" 1 'without -q: a function that was never found is reported once'

# ---- requests of the user, but no run ----
not_run="perftool: the program was not run; -b or the command \`run' runs it"
for asked in 'break work' 'break work if 0' 'break entry work' 'time work' \
	'time w*' 'time later_*'; do
	try perftool -n -q -e "$asked" "$PROGRAMS/ends"
	is "$status $err" "0 $not_run" "-e '$asked' without a run gets a warning"
done
try perftool -n -q "$PROGRAMS/ends" <<<'break work'
is "$status $err" "0 $not_run" 'break work on standard input without a run gets a warning'
for asked in 'break work' 'time work'; do
	try perftool -n -q -e "$asked" -e run "$PROGRAMS/ends" exit 0
	unlike "$err" 'was not run' "-e '$asked' -e run gets no warning"
	try perftool -n -q -b -e "$asked" "$PROGRAMS/ends" exit 0
	unlike "$err" 'was not run' "-b -e '$asked' gets no warning"
done
try perftool -n -q -e 'break work' -e 'delete 1' "$PROGRAMS/ends"
is "$status $err" '0 ' 'a deleted breakpoint without a run gets no warning'
for asked in 'list modules' 'help time' 'print 1'; do
	try perftool -n -q -e "$asked" "$PROGRAMS/ends"
	is "$status $err" '0 ' "-e '$asked' without a run gets no warning"
done

# ---- options after the program ----
for option in -t -e -x -p -b -o --time --time=work --for -q; do
	fails_with 0 "^perftool: nothing was asked for; .$option' after $PROGRAMS/ends is an argument of the program: perftool's options come before the program\$" \
		"$option after the program gets a hint" \
		perftool -n "$PROGRAMS/ends" "$option" work
done
fails_with 0 "; .-t' after " 'the hint names the first of several options after the program' \
	perftool -n "$PROGRAMS/ends" loop -t work -b
for words in '' 'loop' '-w' '--tim' '-- -t' '-'; do
	# shellcheck disable=SC2086 # words
	try perftool -n "$PROGRAMS/ends" $words
	is "$status $err" '0 ' "after the program, '$words' gets no hint"
done
try perftool -n "$PROGRAMS/ends" -t work <<<'print 42'
is "$status $out $err" '0 42 ' 'with commands on standard input, -t after the program gets no hint'
try perftool -n -e 'print 42' "$PROGRAMS/ends" -t work
is "$status $out $err" '0 42 ' 'with -e, -t after the program gets no hint'
try perftool -n -q -b -t copy "$PROGRAMS/echo" -t work
unlike "$err" 'nothing was asked' 'with -t, -t after the program gets no hint'
try perftool -n -b "$PROGRAMS/echo" -t work
like "$err" "^perftool: nothing was asked for; .-t' after " 'with -b alone, -t after the program gets a hint'
like "$out" $'argument -t\nargument work' '-b alone runs the program with its arguments'

# ---- streams ----
try perftool -q -n -t work "$PROGRAMS/pie" 100
is "$out" "$("$PROGRAMS/pie" 100)" "standard output is the program's alone"
like "$err" 'L E G   T A B L E' 'the report is on standard error'
try sh -c "perftool -q -n -t work '$PROGRAMS/pie' 100 | sort"
is "$out" "$("$PROGRAMS/pie" 100 | sort)" "in a pipe, standard output is the program's alone"
try perftool -q -n -t work -o report.txt "$PROGRAMS/pie" 100
is "$out$err" "$("$PROGRAMS/pie" 100)" "-o FILE: only the program's output is printed"
like "$(cat report.txt)" 'L E G   T A B L E' '-o FILE has the report'
try perftool -q -n -t work -o - "$PROGRAMS/pie" 100
like "$out" 'work 100.*L E G   T A B L E' '-o - prints the report on standard output'
is "$err" '' '-o -: nothing on standard error'
printf 'one\ntwo\nthree\n' >lines
try perftool -q -n -t copy "$PROGRAMS/echo" a 'b c' <lines
is "$out" $'argument a\nargument b c\none\ntwo\nthree\ncopy 3' \
	"standard input and arguments are the program's"
ECHO_TEST=x try perftool -q -n -t copy "$PROGRAMS/echo" </dev/null
like "$out" 'environment x' "the environment is the program's"
try perftool -q -n -t copy -- "$PROGRAMS/echo" -t --help
is "$out" $'argument -t\nargument --help\ncopy 0' 'options after -- PROGRAM go to the program'
try perftool -q -n -t copy "$PROGRAMS/echo" -o --for
is "$out" $'argument -o\nargument --for\ncopy 0' \
	'options after PROGRAM go to the program'
# the reader closes the pipe: the program gets SIGPIPE, as it does without the
# tool
try sh -c "perftool -q -n -t write -o r.json -f json yes | head -n 1"
is "$out" y 'a program in a pipe whose reader goes away ends as without the tool'

# ---- commands from standard input, -x and -e in order ----
try perftool -q -n "$PROGRAMS/pie" <<END
break entry work if 1
monitor on
run 50
print nodes
END
is "$status" 0 'commands from standard input: status 0'
like "$out" 'work 50.*N O D E   T A B L E' 'commands from standard input: the table is printed'
try perftool -q -n "$PROGRAMS/echo" <<END
run
END
is "$out" 'copy 0' 'the program does not read the commands'
try perftool -q -n "$PROGRAMS/echo" <<END
run <lines
END
is "$out" $'one\ntwo\nthree\ncopy 3' 'run <FILE gives the program its input'
printf 'shell echo from x\n' >x.pt
try perftool -q -n -e 'shell echo first' -x x.pt -e 'shell echo last'
is "$out" $'first\nfrom x\nlast' '-e and -x are carried out in the order given'
try perftool -q -n -x - -e 'shell echo last' <<<'shell echo stdin'
is "$out" $'stdin\nlast' '-x - reads commands from standard input'

# An interruption ends the shell's command and the script that contains it.
mkfifo hold
for whom in tool both; do
	rm -f there
	start perftool -q -n -e 'shell : >there; read line <hold' \
		-e 'shell : >reached' 2>said
	ok "interrupted in a shell's command, $whom: the shell's command runs" \
		wait_for 20 test -e there
	if [ $whom = tool ]; then
		kill -INT "$started"
		echo go >hold
	else
		kill -INT -- "-$started"
	fi
	wait "$started" 2>/dev/null
	ok "interrupted in a shell's command, $whom: the script ends" \
		test ! -e reached
done

# ---- the start-up file ----
echo 'shell echo start-up' >"$HOME/.perftoolrc"
try perftool -q -e 'shell echo command'
is "$out" $'start-up\ncommand' 'the start-up file is run before the commands'
try perftool -q -n -e 'shell echo command'
is "$out" command '-n: the start-up file is not run'
mkdir -p "$HOME/.config/perftool"
echo 'shell echo config' >"$HOME/.config/perftool/perftoolrc"
XDG_CONFIG_HOME=$HOME/.config try perftool -q -e 'shell echo command'
is "$out" $'config\ncommand' 'the start-up file in XDG_CONFIG_HOME comes first'
rm -r "$HOME/.perftoolrc" "$HOME/.config"
echo 'shell echo current directory' >.perftoolrc
cp .perftoolrc perftoolrc
try perftool -q -e 'shell echo command'
is "$out" command 'a file in the current directory is never run'

# ---- formats ----
times work half -- "$PROGRAMS/pie" 100
is "$(json 'sorted(t)')" \
	'at clock cpu detail ended histograms host interval kernel legs nodes perftool program rank schema settings started summary' \
	'JSON: the whole has all its members'
is "$(json 'sorted(t["program"])')" \
	'args build_id exit_signal exit_status path pid state' \
	'JSON: program has all its members'
is "$(json 'sorted(t["summary"])')" \
	'added_overhead_ns average_overhead_ns breaks elapsed_less_overhead_ns elapsed_ns fast_hit_cost_factor fast_hit_cost_samples followed followed_int3 overhead_ns overhead_percent passed_over' \
	'JSON: summary has all its members'
is "$(json 'sorted(t["nodes"][0])')" \
	'addresses by condition count deleted errors file function id int3_reason kind line location made_by mechanism module' \
	'JSON: a node has all its members'
is "$(json 'sorted(t["legs"][0])')" \
	'below_resolution buckets by count counted cpu_count cpu_mean_ns cpu_ns cpu_problem discarded from from_place id ignored_from ignored_to interrupted made_by match max_ns mean_ns min_ns name open owner p50_ns p90_ns p999_ns p99_ns percent processes resolution_ns stddev_ns to to_place total_bound_ns total_ns unwound waiting_mean_ns waiting_ns' \
	'JSON: a leg has all its members'
is "$(json 'sorted(t["histograms"][0]), sorted(t["histograms"][0]["buckets"][0])')" \
	"['average', 'base', 'buckets', 'class', 'id', 'name', 'of', 'overflow', 'references', 'scale', 'sum', 'underflow'] ['count', 'from', 'to']" \
	'JSON: a histogram and a bucket have all their members'
is "$(json 't["schema"], t["program"]["path"], t["program"]["args"]')" \
	"1 $PROGRAMS/pie ['100']" 'JSON: schema, path and arguments are right'
is "$(json 'sum(b["count"] for b in t["histograms"][0]["buckets"])')" 100 \
	'JSON: the buckets hold every execution'
try perftool -q -n -f csv -o c -t work "$PROGRAMS/pie" 100
is "$status" 0 'CSV: status 0'
/usr/bin/python3 - >csv.out <<-'END'
	import csv
	for name in ("nodes", "legs", "histograms"):
	    rows = list(csv.DictReader(open("c-%s.csv" % name)))
	    print(name, len(rows) > 0, all(None not in r and None not in r.values() for r in rows))
	    if name == "legs": print(rows[0]["count"])
END
is "$(cat csv.out)" $'nodes True True\nlegs True True\n100\nhistograms True True' \
	'CSV: three files have complete rows'
fails_with 125 csv 'CSV without -o: status 125' perftool -f csv -t work "$PROGRAMS/pie"
fails_with 125 xml 'an unknown format: status 125' perftool -f xml -t work "$PROGRAMS/pie"

# ---- --for ----
# (The time is long enough for the program to handle SIGINT by then, also on a
# busy machine.)
times work -- "$PROGRAMS/ends" exit 0
try perftool -q -n --for 1s -f json -o t.json -t work "$PROGRAMS/ends" loop
is "$status" 3 '--for: a program that SIGINT ends by itself'
like "$out" 'work [0-9]+' '--for: the program can still print after the SIGINT'
is "$(json 'entry("work")["count"]')" "$(own work)" '--for: every call is counted'
ok '--for: the program runs as long as asked' \
	[ "$(json 't["summary"]["elapsed_ns"] >= 900000000')" = True ]
try perftool -q -n --for 1s -t work "$PROGRAMS/ends" stubborn
is "$status" 137 '--for: a program that ignores SIGINT is killed'
try perftool -n -b --for 1s -e 'time work' -e run -e continue \
	-e 'print legs > counted' "$PROGRAMS/ends" loop
is "$status" 3 '--for during commands: the status is that of the program'
ok '--for: the commands after it are run' grep -q work counted
like "$err" 'The time of --for is over; .continue. was left out' \
	'--for: a command that would run on is left out, and named'
unlike "$err" 'L E G' '--for: commands that follow print what is wanted'
serve "$PROGRAMS/server"
try perftool -n -b -p "$server" --for 200ms -e 'time work' \
	-e 'continue for 60s' -e 'print legs > counted'
ok '--for: so they are with -p' grep -q work counted
is "$(foreign "$server")" 0 '--for: the process was let go'
end_server
fails_with 125 "'?x'?" '--for with a wrong duration: status 125' perftool --for x -t work "$PROGRAMS/pie"
for options in '--for 1s' '-f json'; do
	# shellcheck disable=SC2086 # two words
	fails_with 125 "${options% *} is for batch mode" \
		"$options without batch mode: status 125" perftool $options "$PROGRAMS/pie"
done
fails_with 125 '-p: .1,x. is not the number of a process' '-p 1,x is not the number of a process: status 125' perftool -p 1,x -b

# ---- Ctrl-C in batch mode ----
mkfifo ready
# shellcheck disable=SC2016 # it is the inner shell's
start sh -c 'exec "$0" "$@" >ready' perftool -q -n -f json -o t.json -t work \
	"$PROGRAMS/ends" loop
pid=$started
# kept open, because otherwise the program could not write its last line
exec 3<>ready
read -r line <&3
is "$line" ready 'Ctrl-C: the program is at work'
kill -INT "$pid"
wait "$pid"
is "$?" 3 'Ctrl-C: the program gets the SIGINT'
read -r line <&3
like "$line" '^work [0-9]+$' 'Ctrl-C: the program can still print after the SIGINT'
is "work $(json 'entry("work")["count"]')" "$line" \
	'Ctrl-C: the tables have every call'

# ---- the commands behind a run that Ctrl-C ends ----
# interrupt COMMAND...: runs commands of perftool behind `run` in the
# background, and interrupts the program when it works
interrupt() {
	rm -f f.json profile.svg after
	# shellcheck disable=SC2016 # it is the inner shell's
	start sh -c 'exec "$0" "$@" >ready 2>err' perftool -n -b \
		-e 'spy on' -e 'profile functions work' -e run "$@" \
		"$PROGRAMS/ends" loop
	tool=$started
	read -r line <&3
	is "$line" ready 'Ctrl-C, commands: the program is at work'
	kill -INT "$tool"
}
interrupt -e continue -e 'save functions f.json' -e 'save profile profile.svg' \
	-e 'spy display > shown'
wait "$tool"
is "$?" 3 'Ctrl-C, commands: the status is that of the program'
read -r line <&3
is "work $(/usr/bin/python3 -c \
	'import json; print(json.load(open("f.json"))["functions"][0]["calls"])')" \
	"$line" 'Ctrl-C, commands: a file is saved, with every call'
ok 'Ctrl-C, commands: another file is saved' grep -q '</svg>' profile.svg
ok 'Ctrl-C, commands: a listing is written where it was to go' grep -q '^Spy of' shown
like "$(<err)" 'You have ended the measurement; .continue. was left out' \
	'Ctrl-C, commands: a command that would run on is left out, and named'
unlike "$(<err)" 'Spy of' 'Ctrl-C, commands: nothing else is printed'

# A second Ctrl-C that comes within a tenth of a second is none.
interrupt -e 'shell sleep 0.2; touch after; read -r line <gate' \
	-e 'save functions f.json'
mkfifo gate
ok 'Ctrl-C twice: the commands are carried out' wait_for 20 test -e after
read -r line <&3
kill -INT "$tool"
echo >gate
wait "$tool"
is "$?" 130 'Ctrl-C twice: the status tells of it'
ok 'Ctrl-C twice: the rest of the commands is left out' [ ! -e f.json ]
like "$(<err)" 'interrupted; the rest of the commands was left out' \
	'Ctrl-C twice: a message says so'
done_testing
