#!/usr/bin/env bash
# Children, exec, and libraries that come and go.
. "$(dirname "$0")/../lib.sh"

# Children are not harmed by what was put into their parent's memory.
times work -- "$PROGRAMS/children"
is "$status" 0 'children: status'
is "$(own harmed)" 0 'children: none harmed'
is "$(own forked) $(own vforked) $(own spawned) $(own ran)" '10 10 10 10' \
	'children: all did what they should'
ok "children: the parent's own calls are counted" \
	[ "$(json 'entry("work")["count"]')" -ge 50 ]

# a shell is made of children
# shellcheck disable=SC2016 # it is the shell's
times malloc@libc.so.6 -- sh -c \
	'for i in 1 2 3; do echo $i | cat; done; (exit 9)'
is "$status" 9 'a shell: its own status'
is "$out" $'1\n2\n3' 'a shell: its pipes work'

# Places resolve anew after an exec of the same file.
times work -- "$PROGRAMS/execs" 3
is "$status" 0 'exec: status'
is "$(json 'time("work")["count"]')" 40 'exec: all four images count'

# A place in a library that is loaded later, twice.
times plugin_work -- "$PROGRAMS/loader" "$PROGRAMS/plugin"
is "$status" 0 'dlopen: status'
is "$(json 'time("plugin_work")["count"]')" 150 'dlopen: both loadings count'
unlike "$err" 'never' 'dlopen: and nothing is said to be missing'
times plugin_work@plugin -- "$PROGRAMS/loader" "$PROGRAMS/plugin"
is "$(json 'time("plugin_work")["count"]')" 150 'dlopen: by the module'\''s name'
is "$(gdb_count plugin_work "$PROGRAMS/loader" "$PROGRAMS/plugin")" 150 \
	'dlopen: gdb agrees'

# A place that never comes: said, with the reason.
try perftool -n -t plugin_work "$PROGRAMS/loader" /nonexistent
is "$status" 125 'a library that never comes: status'
like "$err" 'plugin_work' 'a library that never comes: what was not resolved'
done_testing
