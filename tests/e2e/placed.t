#!/usr/bin/env bash
# While tool and program share a CPU, the program does not notice it: it finds the
# CPUs that it has without the tool, and keeps those that it chooses itself.
# tier: core
# covers: probe/calibrate probe/survive target
. "$(dirname "$0")/../lib.sh"

program=$PROGRAMS/placed
for how in affinity processors sysconf thread call child pin deadline; do
	alone=$("$program" $how)
	batch 'set mechanism int3' 'time work' 'set affinity auto' run \
		'print tables > tables' -- "$program" $how
	is "$(grep -E 'CPU|calls [0-9]' <<<"$out")" "$alone" "$how: as without the tool"
	like "$(cat tables)" 'Placement = .*on one CPU' "$how: tool and program shared a CPU"
	calls=$([ $how = pin ] && echo 500 || echo 200)
	is "$(awk '$2 == "work" && $4 == "->" { print $6 }' tables)" "$calls" "$how: all calls are counted"
done
done_testing
