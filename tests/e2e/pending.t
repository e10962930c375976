#!/usr/bin/env bash
# If no module has a name, the command says so before the program runs, unless
# the name may come later.
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
	fails_with 125 "$wanted" "$name" perftool -n "$@"
	ok "$name: nothing has run" [ ! -e has_run ]
}

# kept STATUS NAME ARGS...: the program has run
kept() {
	local wanted=$1 name=$2
	shift 2
	rm -f has_run t.json
	try perftool -n -q -f json -o t.json "$@"
	is "$status" "$wanted" "$name: status"
	ok "$name: it has run" [ -e has_run ]
}

# ---- names that neither the program nor its libraries have ----
refused 'of a function, -t' '^perftool: -t in_librery: no function in_librery in user, liblib\.so, .*\(near names: in_library\); if the program loads it later, use `in_librery@LIBRARY'"'"', or --pending$' \
	-q -t in_librery ./user
refused 'of a break' 'no function nosuch in user' -q -b -e 'break nosuch' ./user
refused 'of a leg' 'no function nosuch in user' -q -b -e 'add leg main nosuch' ./user
refused 'of a line' 'no code for user\.c:999 in user' -q -b -e 'break user.c:999' ./user
refused 'of a file' 'no function main of nosuch\.c in user' \
	-q -t nosuch.c:main ./user
refused 'of a stub' 'no function nosuch@plt in user, [^`]*; if the program loads it later, use --pending$' \
	-q -t nosuch@plt ./user
refused 'in a static program' '^perftool: -t nosuch: no function nosuch in static[;:] ' \
	-q -t nosuch ./static
printf '%s\n' '# a comment' 'time nosuch' run >script
refused 'in a script' '^script:2: no function nosuch' -q -x script ./user
try perftool -n -q ./user <<<'time nosuch'
is "$status" 125 'piped: status'
like "$err" '^standard input:1: no function nosuch' 'piped: told'
refused 'of what a shell executes' 'no function in_library in (ba|da|)sh, .*--pending$' \
	-q -t in_library sh -c ./user

# ---- names that they have ----
kept 0 'of a library' -t in_library ./user
is "$(json 'time("in_library")["count"]')" 1 'of a library: counted'
try perftool -n -b -e 'break in_library if 1' ./user
like "$out$err" '^Breakpoint #1: in_library \(pending: liblib\.so has it, and is loaded when the program runs\)' \
	'of a library: told where it will be'
LD_PRELOAD=./preloaded.so kept 0 'of a library that the environment adds' -t in_preloaded ./user
kept 0 'of a static program' -t in_library ./static

# ---- names that may come later ----
kept 125 'NAME@LIBRARY' -t nosuch@libnosuch.so ./user
kept 125 'a pattern' -t 'nosuch*' ./user
kept 125 '--pending' --pending -t nosuch ./user
like "$err" 'nosuch was never found' '--pending: told at the end'
kept 0 'set pending on' -b -e 'set pending on' -e 'break nosuch if 1' -e run ./user
kept 0 'what a shell executes, --pending' --pending -t in_library sh -c ./user
is "$(json 'time("in_library")["count"]')" 1 'what a shell executes: counted'
printf '#!/bin/sh\n./user\n' >by_script
chmod +x by_script
kept 0 'what a script executes' -t in_library ./by_script
is "$(json 'time("in_library")["count"]')" 1 'what a script executes: counted'
mv liblib.so gone.so
try perftool -n -q -t nosuch ./user
unlike "$err" '--pending' 'a library is missing: nothing is known of its names'
mv gone.so liblib.so

# ---- at a prompt ----
new_terminal "perftool -n -q ./user; echo over; exec cat"
# asks KEYS... : the tool asks the question, and the keys answer it
asks() {
	wait_for 20 ready
	enter 'break nosuch if 1'
	expect 'Keep\s+the\s+name\s+for\s+what\s+the\s+program\s+loads\s+later\?\s+\(y or n\)' "$1: a question"
}
# shellcheck disable=SC2317 # wait_for calls it by name
ready() {
	[[ $(screen | sed '/^$/d' | tail -n 1) == 'perftool>' ]]
}
asks no
enter n
expect 'nosuch is not kept' 'no: told'
enter 'break main'
expect 'Breakpoint #1: main' 'no: the number is free again'
wait_for 20 ready
clear_screen
for key in C-c Escape; do
	asks "$key"
	keys "$key"
	ok "$key: a prompt" wait_for 20 ready
	clear_screen
done
enter 'list breaks'
wait_for 20 ready
unlike "$(screen)" 'pending' 'nothing was kept'
wait_for 20 ready
clear_screen
for command in "Break Entry procedure: nosuch? Breakpoint #1." "time 'nosuch*'" 'break *such*'; do
	enter "$command"
	expect 'Keep\s+the\s+name\s+for\s+what\s+the\s+program\s+loads\s+later\?\s+\(y or n\)' "$command: a question"
	keys C-d
	expect 'EOF \[assumed N\].*is not kept' "$command: the end of input is no"
	wait_for 20 ready
	clear_screen
done
asks yes
enter y
expect 'Breakpoint #[0-9]+: nosuch \(pending: no function nosuch' 'yes: kept'
done_testing
