#!/usr/bin/env bash
# A server at work that the tool attaches to and detaches from: Redis under its
# own benchmark. The server itself counts the calls of each command.
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

# load FILE WORD...: starts the server's benchmark in the background
load() {
	local file=$1
	shift
	start redis-benchmark -s "$socket" -c 20 --csv "$@" >"$file" 2>&1
	benchmark=$started
}
ends_well() { # FILE NAME
	wait "$benchmark"
	is "$?" 0 "$2: the benchmark ends well"
	unlike "$(<"$1")" '[Ee]rror' "$2: it saw no error"
}

start ./redis-server --port 0 --unixsocket "$socket" --save '' \
	--logfile "$PWD/server.log"
server=$started
ok 'the server is up' wait_for 10 is_up
is "$(foreign "$server")" 0 'its text is as in the files'

# ---- a known load: every call is counted ----
# The server has no debug information. In Redis 7.0, the pointer to the command
# is 112 bytes into the client, and the command begins with its name. (The name
# of the subcommand of `config get` is "get".)
start perftool -n -f json -o t.json -t getCommand -t setCommand \
	-e 'time call by=*(char **)*(long *)($arg1 + 112)' -p "$server" \
	--for 30s >said 2>&1
tool=$started
ok 'perftool attaches' wait_for 10 grep -q '^Leg 2: ' said
load a -t set,get -n 5000
ends_well a 'measured'
end_tool INT
is "$status" 0 'perftool ends at SIGINT'
is "$(calls get) $(calls set)" '5000 5000' 'the server counts'
is "$(json '[entry(f)["count"] for f in ("getCommand", "setCommand")]')" \
	'5000 5000' 'perftool counts the same'
is "$(json '[time(f)["count"] for f in ("getCommand", "setCommand")]')" \
	'5000 5000' 'and times every call'
named() { # NAME: prints how many calls perftool has counted under this name
	json "sum(v['count'] for v in time('call')['by']['values']
		if v['value'] == '$1')"
}
is "$(named set)" "$(calls set)" 'calls by the name of the command: set'
is "$(named get)" $(($(calls get) + $(calls 'config|get'))) 'and get'
is "$(json 'time("call")["by"]["counted"] == time("call")["count"]')" True \
	'the rows add up'
like "$(<said)" 'it stood still for [0-9.]+ (us|ms)' 'it says how long it took'
is "$(foreign "$server")" 0 'detached: the text is as before'

# ---- a permanent load; tools attach, detach and are killed ----
load b -t get -n 100000
kill -0 "$benchmark"
is "$?" 0 'the load is on'
try perftool -q -n -f json -o t.json -t getCommand -p "$server" --for 1s
is "$status" 0 'measured for a second'
[ "$status" = 0 ] || diag <<<"$err"
ok 'there were calls' [ "$(json 'entry("getCommand")["count"]')" -gt 100 ]
ok 'the rule holds' [ "$(json 'kept()')" = True ]
is "$(foreign "$server")" 0 'detached under load: the text is as before'
ends_well b 'come and gone'

# a load of its own, because the steps before may have taken longer than the
# first load
load c -t get -n 100000
start perftool -n -t getCommand -p "$server" --for 30s 2>said >/dev/null
tool=$started
ok 'it attaches again' wait_for 10 grep -q '^Attached' said
before=$(calls get)
has_gone_on() { [ "$(calls get)" -gt $((before + $1)) ]; }
ok 'the server serves' wait_for 10 has_gone_on 200
end_tool KILL
before=$(calls get)
ok 'after SIGKILL to perftool, too' wait_for 10 has_gone_on 200
like "$(foreign "$server")" '^[1-9]$' 'breakpoints were left'
try perftool -n -p "$server" -e detach
is "$status" 0 'the next perftool attaches'
like "$err" 'removed [0-9]+ breakpoints that a perftool left when it died' \
	'it says what it found'
is "$(foreign "$server")" 0 'and removes it'
ends_well c 'come and died'
is "$(calls get)" 205000 'no request was lost'
redis shutdown nosave 2>/dev/null
wait "$server"
is "$?" 0 'the server ends well'
unlike "$(<server.log)" 'crash|SIGTRAP' 'and has seen nothing'
done_testing
