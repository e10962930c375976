#!/usr/bin/env bash
# If no module has a name, the command says so before the program runs, unless
# the name may come later.
# tier: core
# covers: session/requests session/names probe/request
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"
LIMIT=20

cat >lib.c <<'END2'
int in_library(int x)
{
	return x + 1;
}
END2
cat >user.c <<'END2'
#include <stdio.h>
int in_library(int x);
int main(void)
{
	FILE *out = fopen("has_run", "w");

	fclose(out);
	return in_library(2) != 3;
}
END2
cat >preloaded.c <<'END2'
int in_preloaded(int x)
{
	return x;
}
END2
gcc -g -fPIC -shared lib.c -o liblib.so
gcc -g -fPIC -shared preloaded.c -o preloaded.so
gcc -g user.c -o user ./liblib.so
gcc -g -static user.c lib.c -o static

# refused NAME WANTED ARGS...: the tool fails with status 125 and one line, and
# the program has not run
refused() {
	local name=$1 wanted=$2
	shift 2
	rm -f has_run
	fails_with 125 "$wanted" "unknown name $name: the command is refused" perftool -n "$@"
	ok "unknown name $name: the program has not run" [ ! -e has_run ]
}

# kept STATUS NAME ARGS...: the program has run
kept() {
	local wanted=$1 name=$2
	shift 2
	rm -f has_run t.json
	try perftool -n -q -f json -o t.json "$@"
	is "$status" "$wanted" "$name: perftool ends with status $wanted"
	ok "$name: the program has run" [ -e has_run ]
}

# ---- names that neither the program nor its libraries have ----
refused 'of a function, -t' '^perftool: -t in_librery: no function in_librery in user, liblib\.so, .*\(near names: in_library\); if the program loads it later, use `in_librery@LIBRARY'"'"', or --pending$' \
	-q -t in_librery ./user
refused 'of a break' 'no function nosuch in user' -q -b -e 'break nosuch' ./user
refused 'of a leg' 'no function nosuch in user' -q -b -e 'add leg main nosuch' ./user
refused 'of a line' 'no code for user\.c:999 in user' -q -b -e 'break user.c:999' ./user
refused 'of a file' 'no function main of nosuch\.c in user' \
	-q -t nosuch.c:main ./user
refused 'of a PLT entry' \
	'no function nosuch@plt in user, [^`]*; if the program loads it later, use --pending$' \
	-q -t nosuch@plt ./user
refused 'in a static program' '^perftool: -t nosuch: no function nosuch in static[;:] ' \
	-q -t nosuch ./static
printf '%s\n' '# a comment' 'time nosuch' run >script
refused 'in a script' '^script:2: no function nosuch' -q -x script ./user
try perftool -n -q ./user <<<'time nosuch'
is "$status" 125 'unknown name in a pipe: perftool ends with status 125'
like "$err" '^standard input:1: no function nosuch' \
	'unknown name in a pipe: the error has the line number'
refused 'in what a shell executes' 'no function in_library in (ba|da|)sh, .*--pending$' \
	-q -t in_library sh -c ./user

# ---- names that they have ----
kept 0 'name of a library' -t in_library ./user
is "$(json 'time("in_library")["count"]')" 1 'name of a library: each call is counted'
try perftool -n -b -e 'break in_library if 1' ./user
like "$out$err" '^Breakpoint #1: in_library \(pending: liblib\.so has it, and is loaded when the program runs\)' \
	'name of a library: a message says which library has it'
LD_PRELOAD=./preloaded.so kept 0 'name of a library that LD_PRELOAD adds' -t in_preloaded ./user
kept 0 'name of a static program' -t in_library ./static

# ---- names that may come later ----
kept 125 'unknown NAME@LIBRARY' -t nosuch@libnosuch.so ./user
kept 125 'unknown pattern' -t 'nosuch*' ./user
kept 125 'unknown name with --pending' --pending -t nosuch ./user
like "$err" 'nosuch was never found' \
	'unknown name with --pending: a message says that nosuch was not found'
kept 0 'unknown name with set pending on' \
	-b -e 'set pending on' -e 'break nosuch if 1' -e run ./user
kept 0 'name in what a shell executes, --pending' --pending -t in_library sh -c ./user
is "$(json 'time("in_library")["count"]')" 1 \
	'name in what a shell executes, --pending: each call is counted'
printf '#!/bin/sh\n./user\n' >by_script
chmod +x by_script
kept 0 'name in what a script executes' -t in_library ./by_script
is "$(json 'time("in_library")["count"]')" 1 \
	'name in what a script executes: each call is counted'
mv liblib.so gone.so
try perftool -n -q -t nosuch ./user
unlike "$err" '--pending' 'a missing library: no error advises --pending'
mv gone.so liblib.so

# ---- at a prompt ----
new_terminal "perftool -n -q ./user; echo over; exec cat"
# asks KEYS... : the tool asks the question, and the keys answer it
asks() {
	wait_for 20 ready
	enter 'break nosuch if 1'
	expect 'Keep\s+the\s+name\s+for\s+what\s+the\s+program\s+loads\s+later\?\s+\(y or n\)' \
		"answer $1: an unknown name makes perftool ask a question"
}
# shellcheck disable=SC2317 # wait_for calls it by name
ready() {
	[[ $(screen | sed '/^$/d' | tail -n 1) == 'perftool>' ]]
}
asks no
enter n
expect 'nosuch is not kept' 'answer no: a message says that the name is not kept'
enter 'break main'
expect 'Breakpoint #1: main' 'answer no: the number of the breakpoint is used again'
wait_for 20 ready
clear_screen
for key in C-c Escape; do
	asks "$key"
	keys "$key"
	ok "answer $key: the prompt comes again" wait_for 20 ready
	clear_screen
done
enter 'list breaks'
wait_for 20 ready
unlike "$(screen)" 'pending' 'answers C-c and Escape keep no name'
wait_for 20 ready
clear_screen
for command in "Break Entry procedure: nosuch? Breakpoint #1." "time 'nosuch*'" 'break *such*'; do
	enter "$command"
	expect 'Keep\s+the\s+name\s+for\s+what\s+the\s+program\s+loads\s+later\?\s+\(y or n\)' \
		"$command makes perftool ask a question"
	keys C-d
	expect 'EOF \[assumed N\].*is not kept' "$command: the end of input means no"
	wait_for 20 ready
	clear_screen
done
asks yes
enter y
expect 'Breakpoint #[0-9]+: nosuch \(pending: no function nosuch' 'answer yes: the name is kept'
done_testing
