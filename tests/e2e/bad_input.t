#!/usr/bin/env bash
# Wrong input leads to one clear line on standard error and to status 125.
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/pie

# bad REGEX NAME COMMAND: the command fails; a program is given
bad() {
	fails_with 125 "$1" "$2" perftool -q -n -e "$3" "$program"
}

# ---- commands ----
bad 'nonsense' 'an unknown command' 'nonsense'
bad 'print' 'a misspelt command, with the right one' 'pritn tables'
bad 'ambiguous' 'an ambiguous word, with candidates' 'co'
bad 'missing|usage' 'a missing argument' 'add leg 1'
bad 'missing|usage' 'no argument at all' 'break'
bad '7' 'a breakpoint that is not there' 'condition 7 1'
bad '7' 'a node that is not there' 'add leg 1 7'
bad '7' 'a leg that is not there' 'delete leg 7'
bad 'x' 'a wrong number' 'delete leg x'
bad '99999999999' 'a number that is too big' 'delete leg 99999999999999999999'
bad 'on|off' 'a word that is none of those that may stand there' 'monitor perhaps'
bad 'nosuch' 'an unknown setting' 'set nosuch 1'
bad 'xml' 'an unknown value of a setting' 'set format xml'
bad 'nosuch' 'a script that is not there' 'source nosuch.pt'
bad 'not being run|no program|not running' 'continue before run' 'continue'
bad 'not being run|no program|not running' 'kill before run' 'kill'
bad 'not being run|no program|not running|not stopped' 'where before run' 'where'
bad 'duration|x' 'a wrong duration' 'continue for x'
bad "\\)|expected|ends" 'a condition that is no expression' 'break work if (1'
bad '=' 'an assignment' 'break work if n = 1'
bad 'call' 'a call' 'break work if half(1)'
bad '\.json|ending|end' 'tables saved under an ending nobody knows' 'save tables x.y'
bad 'quote|"' 'a quote without end' 'run "a'
fails_with 125 'no program' 'no program at all' \
	perftool -q -n -e 'break main' -e run
fails_with 125 'no program|PROGRAM' 'batch mode without a program' perftool -n -b

# ---- a script names file, line and reason ----
printf '# fine\nbreak work\n\ndelete leg 7\nshell echo not reached\n' >script.pt
fails_with 125 '^script\.pt:4: .*7' 'a script that fails names the line' \
	perftool -q -n -x script.pt "$program"
mkdir directory
fails_with 125 '^directory:.*Is a directory' \
	'a script that is a directory' perftool -q -n -x directory "$program"
echo 'source loop.pt' >loop.pt
fails_with 125 'loop\.pt' 'a script that includes itself' \
	perftool -q -n -x loop.pt "$program"
fails_with 125 'nosuch\.pt' 'a script that is not there' \
	perftool -q -n -x nosuch.pt "$program"
head -c 5000 /dev/urandom >random.pt
try perftool -q -n -x random.pt "$program"
is "$status" 125 'a script that is noise: status'
ok 'a script that is noise: no crash, one line' \
	[ "$(wc -l <"$SCRATCH/err")" -le 1 ]

# ---- programs ----
fails_with 126 directory 'a directory as program' perftool -t main ./directory
head -c 4000 "$program" >truncated
chmod +x truncated
fails_with 126 truncated 'a truncated program' perftool -t main ./truncated
head -c 40 "$program" >header
chmod +x header
fails_with 126 'truncated|not an ELF' 'a program cut off in its header' \
	perftool -t main ./header
: >empty
chmod +x empty
fails_with 126 'empty' 'an empty program' perftool -t main ./empty
mkfifo -m 755 fifo
fails_with 126 'fifo: a FIFO, not a program' 'a FIFO as program' \
	perftool -t main ./fifo
fails_with 126 'fifo: a FIFO, not a program' 'a FIFO as program, with -b' \
	perftool -b -e 'time main' ./fifo
bad 'fifo: a FIFO, not a program' 'a FIFO as program of a command' 'file ./fifo'
/usr/bin/python3 -c 'import socket
socket.socket(socket.AF_UNIX).bind("socket")'
chmod +x socket
fails_with 126 'socket: a socket, not a program' 'a socket as program' \
	perftool -t main ./socket
fails_with 126 '/dev/null: a device' 'a device as program' \
	perftool -t main /dev/null
echo echo hello >text
fails_with 126 'text: Permission denied' 'a file that may not be executed' \
	perftool -t main ./text
chmod +x text
fails_with 126 'text: not an ELF file' 'a text without #!' perftool -t main ./text
ln -s loop loop
fails_with 126 'levels of symbolic links' 'a symbolic link to itself' \
	perftool -t main ./loop
fails_with 126 'Not a directory' 'a path through a file' \
	perftool -t main ./text/program
# byte OFFSET VALUE FILE: writes a copy of the program with one byte changed to
# FILE
byte() {
	cp "$program" "$3"
	printf %b "$2" | dd of="$3" bs=1 seek="$1" conv=notrunc status=none
}
byte 18 '\xb7' arm
fails_with 126 'another processor' 'a program for another processor' \
	perftool -t main ./arm
byte 4 '\x01' narrow
fails_with 126 '32-bit' 'a program of 32 bits' perftool -t main ./narrow
cp "$program" unloaded
offset=$(grep -abo '/lib64/ld-linux-x86-64.so.2' unloaded | head -n 1 | cut -d: -f1)
printf '/lib64/no' | dd of=unloaded bs=1 seek="$offset" conv=notrunc status=none
fails_with 127 'unloaded: .*interpreter' 'a program without its interpreter' \
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
	'a script without its interpreter' perftool -t main ./script
interpreter '#!./script' outer
fails_with 127 '/script: the script.s interpreter /no/such/interp is not there' \
	'a script whose interpreter is such a script' perftool -t main ./outer
interpreter "#!$PWD/fifo"
fails_with 126 'fifo: a FIFO' 'a script whose interpreter is a FIFO' \
	perftool -t main ./script
interpreter "#!$PWD/script.pt"
fails_with 126 'script.pt: Permission denied' \
	'a script whose interpreter may not be executed' \
	perftool -t main ./script
interpreter $'#!/bin/sh\r'
fails_with 126 'script: .*carriage return' 'a script with CR LF at its line ends' \
	perftool -t main ./script
interpreter '#!'
fails_with 126 'script: .*no interpreter' 'a script that names no interpreter' \
	perftool -t main ./script
interpreter '#!./script'
fails_with 126 'script: .*levels' 'a script that is its own interpreter' \
	perftool -t main ./script
interpreter '#!/bin/sh'
interpreter '#!./script' outer
try perftool -q -n -o /dev/null -t malloc@libc.so.6 ./outer
is "$status$out" 0hello 'a script whose interpreter is a script'
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
		'corrupt debug information: symbols still serve'
else
	is "$(wc -l <"$SCRATCH/err")" 1 'corrupt debug information: one line'
fi

# ---- outputs that cannot be written: the tool says so before the run ----
fails_with 125 'nodir/report' 'an output in no directory, and no run' \
	perftool -q -n -t work -o nodir/report "$program"
fails_with 125 'directory' 'an output that is a directory, and no run' \
	perftool -q -n -t work -o directory "$program"
fails_with 125 'nodir' 'CSV in no directory, and no run' \
	perftool -q -n -t work -f csv -o nodir/c "$program"
try perftool -q -n -t work -o /dev/full "$program" 10
is "$status" 125 'a full disk: status'
like "$err" '/dev/full.*No space|No space' 'a full disk: said'
try perftool -q -n -e 'break entry work if 1' -e 'monitor on' -e 'run 5' \
	-e 'print nodes > /dev/full' "$program"
is "$status" 125 'a full disk for a command: status'
like "$err" 'No space' 'a full disk for a command: said'
try perftool -q -n -e 'break entry work if 1' -e 'monitor on' -e 'run 5' \
	-e 'save tables nodir/x.json' "$program"
is "$status" 125 'a table that cannot be saved: status'
try sh -c "perftool -q -n -e 'break entry work if 1' -e 'monitor on' -e 'run 5 >/dev/null' -e 'print nodes' '$program' >/dev/full"
is "$status" 125 'standard output is full: status'
like "$err" 'No space' 'standard output is full: said'
bad 'nodir' 'run with an output that cannot be written' 'run >nodir/x'
bad 'nosuch' 'run with an input that is not there' 'run <nosuch'
bad 'nodir' 'a log that cannot be written' 'log nodir/x'
bad 'nodir' 'a trace that cannot be written' 'trace nodir/x.csv'

# ---- places that do not exist: the tool says so, also if they may come ----
for place in wrok nosuch.c:10 calls.h:99999; do
	try perftool -q -n -e "break $place if 1" -e 'monitor on' -e 'run 5' "$program"
	is "$status" 125 "$place: an error"
	is "$out" '' "$place: nothing runs"
	like "$err" "no [^;]*; if the program loads it later, use .$place@LIBRARY', or --pending" "$place: told"
done
for place in wrok nosuch.c:10 calls.h:99999 work@nosuch.so; do
	try perftool -n --pending -e "break $place if 1" -e 'monitor on' -e 'run 5' "$program"
	is "$status" 0 "$place: the program runs"
	like "$err" "pending.*$place was never found: no " "$place: told before and after"
done
try perftool -n -t wrok "$program" 5
is "$status" 125 'an unknown function: status'
like "$err" 'near names: work' 'an unknown function: near names'

# the tool has looked in every program that was executed, and names each of them
# once
try perftool -n --pending -t nosuch sh -c 'sort </dev/null | head | cat; cat </dev/null'
for module in sort head cat libc.so.6; do
	is "$(grep -o "found: .*" <<<"$err" | grep -ow -- "$module" | wc -l)" 1 \
		"where a function is not: $module"
done
# shellcheck disable=SC2016 # it is the shell's
try perftool -n --pending -t wrok sh -c '"$0" 5; :' "$program"
like "$err" 'wrok was never found: .* pie \(near names: work\)' \
	'near names are those of a child that has ended, too'
# the tool does not name a program that had ended before the breakpoint was set
try perftool -n -e 'break entry exit@libc.so.6' -e "run -c 'sort </dev/null; :'" \
	-e 'delete breaks' -e continue -e 'break nosuch if 1' sh
like "$err$out" 'process [0-9]+ \(sort\)' 'a breakpoint that came later: after all'
unlike "$err$out" 'nosuch[^)]*sort' \
	'a breakpoint that came later: not looked for in what has ended'

# ---- the tool refuses a condition that cannot be evaluated at any place ----
bad 'nosuchvariable' 'an unknown variable in a condition' \
	'break work if nosuchvariable > 1'
bad 'members' 'what conditions cannot do yet' 'break work if n->x == 1'

# ---- programs that end before a node is hit ----
try perftool -n -t half "$program" 0
is "$status" 0 'never hit: status'
like "$err" 'half' 'never hit: the table has it'
try perftool -n -t nosuchfunction "$program" 5
like "$err" 'nosuchfunction' 'never resolved: named'
unlike "$err" 'Segmentation|core dumped' 'never resolved: no crash'
done_testing
