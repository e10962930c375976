#!/usr/bin/env bash
# The program is stopped after the memory of a library was unmapped and before
# the run-time linker has reported it. The tool neither looks for anything there
# nor changes anything there.
# tier: core
# covers: probe/process probe/site
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

for mechanism in int3 fast auto; do
	serve "$PROGRAMS/unloading" "$PROGRAMS/plugin"
	is "$reply" loaded "$mechanism: the program has loaded the library"
	attach_told -n -q --pending >said 2>said.err
	tell "set mechanism $mechanism" 'monitor on' \
		'break entry plugin_work if 1'
	says go unmapped "$mechanism: the library is unmapped but not reported"
	tell 'break exit plugin_work if 1' 'disable 1' 'set mechanism int3' \
		'enable 1' "set mechanism $mechanism"
	says go unloaded "$mechanism: the program unloads the library"
	says go finished "$mechanism: the program loads the library again and ends its work"
	tell 'save tables t.json' detach
	is "$(json 'node(1)["count"], node(2)["count"]')" '20 20' \
		"$mechanism: breakpoints set while the library was half unloaded count"
	unlike "$(<said.err)" memory "$mechanism: no message about memory that is gone"
	exec 5>&-
	end_server
done
done_testing
