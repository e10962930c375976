#!/usr/bin/env bash
# A server at work that the tool attaches to and detaches from: Redis under its
# own benchmark. The server itself counts the calls of each command.
# tier: full
# covers: target/attach probe/fast probe/rings
# again: int3
# shellcheck disable=SC2317 # functions are conditions of wait_for
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"

# The server is the same file as the checker of its databases, under another
# name (as in Debian).
ln -s "$(command -v redis-check-rdb)" redis-server
socket=$PWD/socket

redis() { redis-cli -s "$socket" "$@"; }
is_up() { [ "$(redis ping 2>/dev/null)" = PONG ]; }
calls() { # COMMAND: prints how often the server has executed the command
	redis info commandstats |
		sed -n "s/^cmdstat_$1:calls=\\([0-9]*\\),.*/\\1/p"
}

# load FILE WORD...: starts the server's benchmark in the background, again and again
# until `ends_well` is called. How long one benchmark takes depends on the machine.
load() {
	local file=$1
	shift
	rm -f over
	start bash -c 'until redis-benchmark "$@" || exit
			echo "one benchmark"
			[ -e over ]
		do :; done' bash -s "$socket" -c 20 --csv "$@" >"$file" 2>&1
	benchmark=$started
}
# ends_well FILE NAME: ends the load, and sets $rounds to the number of benchmarks
ends_well() {
	touch over
	wait "$benchmark"
	is "$?" 0 "$2: the benchmark ends well"
	unlike "$(<"$1")" '[Ee]rror' "$2: it saw no error"
	rounds=$(grep -c '^one benchmark' "$1")
}

start ./redis-server --port 0 --unixsocket "$socket" --save '' \
	--logfile "$PWD/server.log"
server=$started
ok 'the server is up' wait_for 10 is_up
is "$(foreign "$server")" 0 'the code of the server is as in its files'

# ---- a known load: every call is counted ----
# The server has no debug information. In Redis 7.0, the pointer to the command
# is 112 bytes into the client, and the command begins with its name. (The name
# of the subcommand of `config get` is "get".)
start perftool -n -f json -o t.json -t getCommand -t setCommand \
	-e 'time call by=*(char **)*(long *)($arg1 + 112)' -p "$server" \
	--for 1h >said 2>&1
tool=$started
ok 'perftool attaches' wait_for 10 grep -q '^Leg 2: ' said
load a -t set,get -n 5000
ends_well a 'set and get with perftool'
known=$((5000 * rounds))
end_tool INT
is "$status" 0 'perftool ends with status 0 at SIGINT'
is "$(calls get) $(calls set)" "$known $known" "the server counts $known calls of get and of set"
is "$(json '[entry(f)["count"] for f in ("getCommand", "setCommand")]')" \
	"$known $known" "perftool counts $known calls of get and of set"
is "$(json '[time(f)["count"] for f in ("getCommand", "setCommand")]')" \
	"$known $known" 'perftool times every call of get and of set'
named() { # NAME: prints how many calls perftool has counted under this name
	json "sum(v['count'] for v in time('call')['by']['values']
		if v['value'] == '$1')"
}
is "$(named set)" "$(calls set)" 'the split by command has every call of set'
is "$(named get)" $(($(calls get) + $(calls 'config|get'))) 'the split by command has every call of get'
is "$(json 'time("call")["by"]["counted"] == time("call")["count"]')" True \
	'the rows of the split add up to the count of the leg'
like "$(<said)" 'it stood still for [0-9.]+ (us|ms)' 'perftool says how long the server stood still'
is "$(foreign "$server")" 0 'the code of the server is as before after detaching'

# ---- a permanent load; tools attach, detach and are killed ----
load b -t get -n 2000
kill -0 "$benchmark"
is "$?" 0 'the benchmark runs'
try perftool -q -n -f json -o t.json -t getCommand -p "$server" --for 1s
is "$status" 0 'perftool measures for a second under load'
[ "$status" = 0 ] || diag <<<"$err"
ok 'perftool counts more than 100 calls in a second' [ "$(json 'entry("getCommand")["count"]')" -gt 100 ]
ok 'the counts of legs and nodes agree' [ "$(json 'kept()')" = True ]
is "$(foreign "$server")" 0 'the code of the server is as before after detaching under load'
ends_well b 'perftool attached and detached'
known=$((known + 2000 * rounds))

load c -t get -n 2000
start perftool -n -t getCommand -p "$server" --for 1h 2>said >/dev/null
tool=$started
ok 'perftool attaches again' wait_for 10 grep -q '^Attached' said
before=$(calls get)
has_gone_on() { [ "$(calls get)" -gt $((before + $1)) ]; }
ok 'the server serves while perftool measures' wait_for 10 has_gone_on 200
end_tool KILL
before=$(calls get)
ok 'the server serves after SIGKILL to perftool' wait_for 10 has_gone_on 200
like "$(foreign "$server")" '^[1-9]$' 'breakpoints are left after SIGKILL to perftool'
try perftool -n -p "$server" -e detach
is "$status" 0 'the next perftool ends with status 0'
like "$err" 'removed [0-9]+ breakpoints that a perftool left when it died' \
	'the next perftool says how many breakpoints were left'
is "$(foreign "$server")" 0 'the next perftool removes the breakpoints that were left'
ends_well c 'perftool killed'
is "$(calls get)" $((known + 2000 * rounds)) 'no request was lost'
redis shutdown nosave 2>/dev/null
wait "$server"
is "$?" 0 'the server ends well'
unlike "$(<server.log)" 'crash|SIGTRAP' 'the log of the server has no crash and no SIGTRAP'
done_testing
