#!/usr/bin/env bash
# Wrong input leads to one clear line on standard error and to status 125.
# tier: core
# covers: command ui
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/pie

# bad REGEX NAME COMMAND: the command fails; a program is given
bad() {
	fails_with 125 "$1" "an error: $2" perftool -q -n -e "$3" "$program"
}

# ---- commands ----
bad 'nonsense' 'an unknown command' 'nonsense'
bad 'print' 'a misspelt command; the right command is named' 'pritn tables'
bad 'ambiguous' 'an ambiguous word' 'co'
bad 'missing|usage' 'a missing argument' 'add leg 1'
bad 'missing|usage' 'a command without any argument' 'break'
bad '7' 'a breakpoint that is not there' 'condition 7 1'
bad '7' 'a node that is not there' 'add leg 1 7'
bad '7' 'a leg that is not there' 'delete leg 7'
bad 'x' 'a wrong number' 'delete leg x'
bad '99999999999' 'a number that is too big' 'delete leg 99999999999999999999'
bad 'on|off' 'a word other than on and off' 'monitor perhaps'
bad 'nosuch' 'an unknown setting' 'set nosuch 1'
bad 'xml' 'an unknown value of a setting' 'set format xml'
bad 'nosuch' 'a script that is not there' 'source nosuch.pt'
bad 'not being run|no program|not running' 'continue before run' 'continue'
bad 'not being run|no program|not running' 'kill before run' 'kill'
bad 'not being run|no program|not running|not stopped' 'where before run' 'where'
bad 'duration|x' 'a wrong duration' 'continue for x'
bad "\\)|expected|ends" 'an incomplete expression as condition' 'break work if (1'
bad '=' 'an assignment in a condition' 'break work if n = 1'
bad 'call' 'a call in a condition' 'break work if half(1)'
bad '\.json|ending|end' 'save tables with an unknown ending' 'save tables x.y'
bad 'quote|"' 'a quote without end' 'run "a'
fails_with 125 'no program' 'an error: run without a program' \
	perftool -q -n -e 'break main' -e run
fails_with 125 'no program|PROGRAM' 'an error: batch mode without a program' perftool -n -b

# ---- a script names file, line and reason ----
printf '# fine\nbreak work\n\ndelete leg 7\nshell echo not reached\n' >script.pt
fails_with 125 '^script\.pt:4: .*7' 'a script that fails: the message names the line' \
	perftool -q -n -x script.pt "$program"
mkdir directory
fails_with 125 '^directory:.*Is a directory' \
	'an error: a script that is a directory' perftool -q -n -x directory "$program"
echo 'source loop.pt' >loop.pt
fails_with 125 'loop\.pt' 'an error: a script that includes itself' \
	perftool -q -n -x loop.pt "$program"
fails_with 125 'nosuch\.pt' 'an error: -x with a script that is not there' \
	perftool -q -n -x nosuch.pt "$program"
head -c 5000 /dev/urandom >random.pt
try perftool -q -n -x random.pt "$program"
is "$status" 125 'a script that is noise: status 125'
ok 'a script that is noise: at most one line on standard error' \
	[ "$(wc -l <"$SCRATCH/err")" -le 1 ]

# ---- programs ----
fails_with 126 directory 'an error: a directory as program' perftool -t main ./directory
head -c 4000 "$program" >truncated
chmod +x truncated
fails_with 126 truncated 'an error: a truncated program' perftool -t main ./truncated
head -c 40 "$program" >header
chmod +x header
fails_with 126 'truncated|not an ELF' 'an error: a program cut off in its header' \
	perftool -t main ./header
: >empty
chmod +x empty
fails_with 126 'empty' 'an error: an empty program' perftool -t main ./empty
mkfifo -m 755 fifo
fails_with 126 'fifo: a FIFO, not a program' 'an error: a FIFO as program' \
	perftool -t main ./fifo
fails_with 126 'fifo: a FIFO, not a program' 'an error: a FIFO as program, with -b' \
	perftool -b -e 'time main' ./fifo
bad 'fifo: a FIFO, not a program' 'the command file with a FIFO as program' 'file ./fifo'
/usr/bin/python3 -c 'import socket
socket.socket(socket.AF_UNIX).bind("socket")'
chmod +x socket
fails_with 126 'socket: a socket, not a program' 'an error: a socket as program' \
	perftool -t main ./socket
fails_with 126 '/dev/null: a device' 'an error: a device as program' \
	perftool -t main /dev/null
echo echo hello >text
fails_with 126 'text: Permission denied' 'an error: a program that may not be executed' \
	perftool -t main ./text
chmod +x text
fails_with 126 'text: not an ELF file' 'an error: a text without #! as program' perftool -t main ./text
ln -s loop loop
fails_with 126 'levels of symbolic links' 'an error: a symbolic link to itself as program' \
	perftool -t main ./loop
fails_with 126 'Not a directory' 'an error: a path through a file as program' \
	perftool -t main ./text/program
# byte OFFSET VALUE FILE: writes a copy of the program with one byte changed to
# FILE
byte() {
	cp "$program" "$3"
	printf %b "$2" | dd of="$3" bs=1 seek="$1" conv=notrunc status=none
}
byte 18 '\xb7' arm
fails_with 126 'another processor' 'an error: a program for another processor' \
	perftool -t main ./arm
byte 4 '\x01' narrow
fails_with 126 '32-bit' 'an error: a program of 32 bits' perftool -t main ./narrow
cp "$program" unloaded
offset=$(grep -abo '/lib64/ld-linux-x86-64.so.2' unloaded | head -n 1 | cut -d: -f1)
printf '/lib64/no' | dd of=unloaded bs=1 seek="$offset" conv=notrunc status=none
fails_with 127 'unloaded: .*interpreter' 'an error: a program without its interpreter' \
	perftool -q -t main ./unloaded
printf '#!/bin/sh\necho hello\n' >script
chmod +x script
try perftool -q -n -t malloc@libc.so.6 ./script
ok 'a script as program is measured, or refused in one line' \
	[ "$status" = 0 -o "$(wc -l <"$SCRATCH/err")" = 1 ]
# scripts whose interpreter cannot be used
interpreter() { # LINE: the first line of the script
	printf '%s\necho hello\n' "$1" >"${2:-script}"
	chmod +x "${2:-script}"
}
interpreter '#!/no/such/interp'
fails_with 127 'script: the script.s interpreter /no/such/interp is not there' \
	'an error: a script without its interpreter' perftool -t main ./script
interpreter '#!./script' outer
fails_with 127 '/script: the script.s interpreter /no/such/interp is not there' \
	'an error: a script whose interpreter lacks its own interpreter' perftool -t main ./outer
interpreter "#!$PWD/fifo"
fails_with 126 'fifo: a FIFO' 'an error: a script whose interpreter is a FIFO' \
	perftool -t main ./script
interpreter "#!$PWD/script.pt"
fails_with 126 'script.pt: Permission denied' \
	'an error: a script whose interpreter may not be executed' \
	perftool -t main ./script
interpreter $'#!/bin/sh\r'
fails_with 126 'script: .*carriage return' 'an error: a script with CR LF at its line ends' \
	perftool -t main ./script
interpreter '#!'
fails_with 126 'script: .*no interpreter' 'an error: a script that names no interpreter' \
	perftool -t main ./script
interpreter '#!./script'
fails_with 126 'script: .*levels' 'an error: a script that is its own interpreter' \
	perftool -t main ./script
interpreter '#!/bin/sh'
interpreter '#!./script' outer
try perftool -q -n -o /dev/null -t malloc@libc.so.6 ./outer
is "$status$out" 0hello 'a script whose interpreter is a script runs'
# corrupt debug information: the tool measures the program without it, or
# refuses the program
cp "$program" corrupt
offset=$(readelf -SW corrupt | sed -n 's/.* \.debug_info  *PROGBITS  *[0-9a-f]*  *\([0-9a-f]*\) .*/\1/p')
printf '%0.sx' {1..200} | dd of=corrupt bs=1 seek=$((16#$offset + 4)) \
	conv=notrunc status=none
try perftool -q -n -f json -o t.json -t work ./corrupt 100
ok 'corrupt debug information: no crash' [ "$status" = 0 -o "$status" = 125 ]
if [ "$status" = 0 ]; then
	is "$(json 'time("work")["count"]')" 100 \
		'corrupt debug information: the function is still found and timed'
else
	is "$(wc -l <"$SCRATCH/err")" 1 'corrupt debug information: the error is one line'
fi

# ---- outputs that cannot be written: the tool says so before the run ----
fails_with 125 'nodir/report' '-o in a directory that does not exist fails before the run' \
	perftool -q -n -t work -o nodir/report "$program"
fails_with 125 'directory' '-o with a directory fails before the run' \
	perftool -q -n -t work -o directory "$program"
fails_with 125 'nodir' 'CSV in a directory that does not exist fails before the run' \
	perftool -q -n -t work -f csv -o nodir/c "$program"
try perftool -q -n -t work -o /dev/full "$program" 10
is "$status" 125 'a report to a full disk: status 125'
like "$err" '/dev/full.*No space|No space' 'a report to a full disk: the reason is given'
try perftool -q -n -e 'break entry work if 1' -e 'monitor on' -e 'run 5' \
	-e 'print nodes > /dev/full' "$program"
is "$status" 125 'print nodes to a full disk: status 125'
like "$err" 'No space' 'print nodes to a full disk: the reason is given'
try perftool -q -n -e 'break entry work if 1' -e 'monitor on' -e 'run 5' \
	-e 'save tables nodir/x.json' "$program"
is "$status" 125 'tables that cannot be saved: status 125'
try sh -c "perftool -q -n -e 'break entry work if 1' -e 'monitor on' -e 'run 5 >/dev/null' -e 'print nodes' '$program' >/dev/full"
is "$status" 125 'standard output is full: status 125'
like "$err" 'No space' 'standard output is full: the reason is given'
bad 'nodir' 'run with an output that cannot be written' 'run >nodir/x'
bad 'nosuch' 'run with an input that is not there' 'run <nosuch'
bad 'nodir' 'a log that cannot be written' 'log nodir/x'
bad 'nodir' 'a trace that cannot be written' 'trace nodir/x.csv'

# ---- places that do not exist: the tool says so, also if they may come ----
for place in wrok nosuch.c:10 calls.h:99999; do
	try perftool -q -n -e "break $place if 1" -e 'monitor on' -e 'run 5' "$program"
	is "$status" 125 "$place, which does not exist: status 125"
	is "$out" '' "$place, which does not exist: the program does not run"
	like "$err" "no [^;]*; if the program loads it later, use .$place@LIBRARY', or --pending" "$place, which does not exist: the message suggests @LIBRARY and --pending"
done
for place in wrok nosuch.c:10 calls.h:99999 work@nosuch.so; do
	try perftool -n --pending -e "break $place if 1" -e 'monitor on' -e 'run 5' "$program"
	is "$status" 0 "$place with --pending: the program runs"
	like "$err" "pending.*$place was never found: no " "$place with --pending: the place is reported before and after the run"
done
try perftool -n -t wrok "$program" 5
is "$status" 125 '-t with an unknown function: status 125'
like "$err" 'near names: work' '-t with an unknown function: near names are suggested'

# the tool has looked in every program that was executed, and names each of them
# once
try perftool -n --pending -t nosuch sh -c 'sort </dev/null | head | cat; cat </dev/null'
for module in sort head cat libc.so.6; do
	is "$(grep -o "found: .*" <<<"$err" | grep -ow -- "$module" | wc -l)" 1 \
		"a function that is never found: $module is named once"
done
# shellcheck disable=SC2016 # it is the shell's
try perftool -n --pending -t wrok sh -c '"$0" 5; :' "$program"
like "$err" 'wrok was never found: .* pie \(near names: work\)' \
	'near names of a child that has ended are suggested'
# the tool does not name a program that had ended before the breakpoint was set
try perftool -n -e 'break entry exit@libc.so.6' -e "run -c 'sort </dev/null; :'" \
	-e 'delete breaks' -e continue -e 'break nosuch if 1' sh
like "$err$out" 'process [0-9]+ \(sort\)' 'a breakpoint set after sort ended: sort has run'
unlike "$err$out" 'nosuch[^)]*sort' \
	'a breakpoint set after sort ended: the message does not name sort'

# ---- the tool refuses a condition that cannot be evaluated at any place ----
bad 'nosuchvariable' 'an unknown variable in a condition' \
	'break work if nosuchvariable > 1'
bad 'members' 'a member of a variable without members in a condition' 'break work if n->x == 1'

# ---- programs that end before a node is hit ----
try perftool -n -t half "$program" 0
is "$status" 0 'a function that is never called: status 0'
like "$err" 'half' 'a function that is never called is named on standard error'
try perftool -n -t nosuchfunction "$program" 5
like "$err" 'nosuchfunction' 'a function that does not exist is named on standard error'
unlike "$err" 'Segmentation|core dumped' 'a function that does not exist: no crash is reported'
done_testing
