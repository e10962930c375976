#!/usr/bin/env bash
# If a breakpoint cannot be a jump and slows the program down, the tool names
# the breakpoint while the program runs. It names no other breakpoint.
# tier: quiet
# covers: probe/calibrate
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"

cramped=$PROGRAMS/cramped
slow='reads a register that is not a general one'

# said REGEX: the tool has written such a line
# shellcheck disable=SC2317 # wait_for calls it
said() {
	grep -qE "$1" err
}

# The program would run for hours, so that the remark cannot have waited for its
# end.
start perftool -n -b -e 'set mechanism auto' -e 'break entry frames if 1' \
	-e 'break entry saves if $fs_base != 1' \
	-- "$cramped" 100000000000 >out 2>err
ok 'a breakpoint that slows the program down is named during the run' \
	wait_for 50 said 'breakpoint 2 \(saves\) slows the program down'
like "$(<err)" "it is an int3 \(its condition $slow\) and is reached [0-9]+ times a second; int3s take [0-9]+ % of the program's processor time" \
	'the remark on a slow breakpoint has reason, rate and cost'
tool=$started
end_tool INT
is "$(grep -c 'slows the program down' err)" 1 \
	'a slow breakpoint is named once, and a jump is not named'

# the tool does not warn of an int3 that the user has asked for
try perftool -n -b -e 'set mechanism int3' -e 'break entry saves if 1' \
	-- "$cramped" 200000
unlike "$err" 'slows' 'an int3 that was asked for gets no remark'
# nor of an int3 that is reached seldom
try perftool -n -b -e 'set mechanism auto' -e 'break entry loops if $fs_base != 1' -- "$cramped" 1
unlike "$err" 'slows' 'an int3 that is reached once gets no remark'

# ---- many processes ----
# Twenty workers take the requests in turn. The rate is that of all of them.
try perftool -n -b -e 'set mechanism auto' -e 'break entry serve if $fs_base != 1' \
	-f json -o t.json -- "$PROGRAMS/prefork" 20 <<<'serve 100000'
is "$status $(json 'node(1)["count"]')" '0 100000' 'many processes: each request counts'
rate=$(sed -n 's/.* slows the program down.* reached \([0-9]*\) times a second.*/\1/p' <<<"$err")
ok 'many processes: the rate in the remark is that of all of them' \
	[ "${rate:-0}" -gt "$(json 'int(100000e9 / t["summary"]["elapsed_ns"] / 2)')" ]

done_testing
