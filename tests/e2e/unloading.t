#!/usr/bin/env bash
# A program is stopped when a library's memory is gone, and the run-time linker
# has not said so yet: nothing is looked for or changed there any more.
. "$(dirname "$0")/../lib.sh"
PENDING=yes # what is named may come with a library

for mechanism in int3 fast auto; do
	serve "$PROGRAMS/unloading" "$PROGRAMS/plugin"
	is "$reply" loaded "$mechanism: the program"
	attach_told -n -q --pending >said 2>said.err
	tell "set mechanism $mechanism" 'monitor on' \
		'break entry plugin_work if 1'
	says go unmapped "$mechanism: half unloaded"
	tell 'break exit plugin_work if 1' 'disable 1' 'set mechanism int3' \
		'enable 1' "set mechanism $mechanism"
	says go unloaded "$mechanism: unloaded"
	says go finished "$mechanism: loaded again"
	tell 'save tables t.json' detach
	is "$(json 'node(1)["count"], node(2)["count"]')" '20 20' \
		"$mechanism: what was asked for meanwhile is measured"
	unlike "$(<said.err)" memory "$mechanism: no word of what is gone"
	exec 5>&-
	end_server
done
done_testing
