#!/usr/bin/env bash
# Children, exec, and libraries that are loaded and unloaded.
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

# The breakpoints in the memory of the parent do not harm its children.
times work -- "$PROGRAMS/children"
is "$status" 0 'children: status'
is "$(own harmed)" 0 'children: none harmed'
is "$(own forked) $(own vforked) $(own spawned) $(own ran)" '10 10 10 10' \
	'children: all did what they should'
ok "children: the parent's own calls are counted" \
	[ "$(json 'entry("work")["count"]')" -ge 50 ]

# a shell starts children for nearly everything
# shellcheck disable=SC2016 # it is the shell's
times malloc@libc.so.6 -- sh -c \
	'for i in 1 2 3; do echo $i | cat; done; (exit 9)'
is "$status" 9 'a shell: its own status'
is "$out" $'1\n2\n3' 'a shell: its pipes work'

# After an exec of the same file, the tool resolves the places again.
times work -- "$PROGRAMS/execs" 3
is "$status" 0 'exec: status'
is "$(json 'time("work")["count"]')" 40 'exec: all four images count'

# The tool names a 32-bit program and lets it run untraced. The parent is still
# measured.
cat >pause.s <<-'END'
	.globl _start
	_start: mov $29, %eax
	int $0x80
	mov $1, %eax
	mov $3, %ebx
	int $0x80
END
as --32 pause.s -o pause.o && ld -m elf_i386 pause.o -o pause
rm -f t.json
# shellcheck disable=SC2016 # it is the shell's
serve perftool -q -n --pending -f json -o t.json -t work -- bash -c \
	'./pause & echo $!; wait $!; echo $?; exec "$0" 20' "$PROGRAMS/pie" \
	2>tool.err
pid=$reply
is_let_go() {
	[ "$(cat "/proc/$pid/comm")" = pause ] &&
		[ "$(status_of "$pid" TracerPid)" = 0 ]
}
ok 'a 32-bit child: let go' wait_for 20 is_let_go
kill -TERM "$pid"
hear
is "$reply" 143 'a 32-bit child: its end is as ever'
wait "$server"
is "$?" 0 'a 32-bit child: status'
is "$(json 'time("work")["count"]')" 20 'a 32-bit child: the others are measured'
is "$(sed 's/.*\/pause /pause /' tool.err)" \
	'pause runs unmeasured: it is a 32-bit program, and only 64-bit ones can be measured' \
	'a 32-bit child: told what it is'
exec 3>&- 4>&-
start perftool -q -n -b -o /dev/null bash -c 'exec ./pause' 2>tool.err
tool=$started
paused() {
	pid=$(pgrep -P "$tool" -x pause) && is_let_go
}
ok 'a program that executes a 32-bit one: let go' wait_for 20 paused
kill -TERM "$pid"
wait "$tool"
is "$?" 143 'a program that executes a 32-bit one: its end is waited for'

# A place in a library that the program loads and unloads twice.
times plugin_work -- "$PROGRAMS/loader" "$PROGRAMS/plugin"
is "$status" 0 'dlopen: status'
is "$(json 'time("plugin_work")["count"]')" 150 'dlopen: both loadings count'
unlike "$err" 'never' 'dlopen: and nothing is said to be missing'
times plugin_work@plugin -- "$PROGRAMS/loader" "$PROGRAMS/plugin"
is "$(json 'time("plugin_work")["count"]')" 150 'dlopen: by the module'\''s name'
is "$(gdb_count plugin_work "$PROGRAMS/loader" "$PROGRAMS/plugin")" 150 \
	'dlopen: gdb agrees'

# A place that is never found: the tool says so and gives the reason.
try perftool -n -t plugin_work "$PROGRAMS/loader" /nonexistent
is "$status" 125 'a library that never comes: status'
like "$err" 'plugin_work' 'a library that never comes: what was not resolved'
done_testing
