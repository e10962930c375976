# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: redis-server under its own benchmark, GET by 50 clients.
#
# Each request is one call of processCommand, which is how the hits are checked.
# Nothing is traced first and last: a server gets faster while it runs.
# The server and the benchmark have a CPU each where there are two, so that
# whoever counts the hits meanwhile takes some of one of them.
#
# It is attached to; and launched, with its threads counting by themselves, and
# with the tool counting from records (`set counting program|ring').

redis_rounds=$((rounds < 3 ? rounds : 3))
# shellcheck disable=SC2034 # named by what they are asked for
redis_one=(processCommand)
# shellcheck disable=SC2034
redis_twenty=(processCommand call getCommand getGenericCommand lookupKey
	lookupKeyReadOrReply lookupKeyRead lookupKeyReadWithFlags addReplyBulk
	addReply processInputBuffer readQueryFromClient writeToClient
	handleClientsWithPendingWrites createStringObject decrRefCount
	incrRefCount resetClient dictFind lookupCommand)

# shellcheck disable=SC2034
redis_all=('*@redis-server most=9999')
# shellcheck disable=SC2034
redis_zero=()

redis_rate() { # REQUESTS: requests a second
	timeout 120 redis-benchmark -s "$scratch/redis" -t get -n "$1" -c 50 \
		--csv 2>"$scratch/messages" | sed -n 's/^"GET","\([0-9.]*\)".*/\1/p'
}

# redis_traced NAME REQUESTS READY COMMAND...: while that traces it, from when
# it has said READY, a pattern of awk's
redis_traced() {
	local name=$1 requests=$2 ready=$3 tracer
	shift 3
	: >"$scratch/said" # that of the one before says that it is ready
	"$@" </dev/null >"$scratch/said" 2>&1 &
	tracer=$!
	if ! wait_for 20 awk "/$ready/ { n++ } END { exit !n }" \
		"$scratch/said"; then
		kill -KILL "$tracer"
		wait "$tracer" 2>/dev/null
		tail -n 3 "$scratch/said" >"$scratch/messages"
		return 1
	fi
	record "redis-$name" "$(redis_rate "$requests")"
	kill -TERM "$tracer"
	wait "$tracer" 2>/dev/null
	return 0
}

redis_perftool() { # MECHANISM WHAT REQUESTS
	local -n functions=redis_$2
	local words=() function report=$scratch/redis.json

	for function in "${functions[@]}"; do
		words+=(-e "time $function")
	done
	# it tells of the last leg, and then of how long that took
	redis_traced "$1-$2" "$3" "entry of $function / { last = 1 }
			last && /stood still" "$tool" -n -b -f json \
		-o "$report" -e "set mechanism $1" "${words[@]}" --for 60s \
		-p "$server" ||
		die "redis: $(tail -n 3 "$scratch/messages")"
	# of each request one execution, and those of the benchmark's questions
	/usr/bin/python3 - "$report" "$3" >"$scratch/hits" <<-'END' ||
		import json, sys
		table = json.load(open(sys.argv[1]))
		count = table["legs"][0]["count"]
		assert 0 <= count - int(sys.argv[2]) < 200, count
		print(table["summary"]["breaks"] / count)
	END
		die "redis: not all requests were seen"
	record "redis-$1-$2-hits" "$(cat "$scratch/hits")"
}

redis_bpftrace() { # WHAT REQUESTS
	local -n functions=redis_$1
	local function program=

	for function in "${functions[@]}"; do
		program+="uprobe:$redis:$function { @${function}[tid] = nsecs; }
			uretprobe:$redis:$function /@${function}[tid]/ {
				@ns_$function = hist(nsecs - @${function}[tid]);
				delete(@${function}[tid]);
			}
		"
	done
	program+='interval:ms:50 { printf("ready\n"); }'
	redis_traced "bpftrace-$1" "$2" ready bpftrace -p "$server" -e "$program" &&
		echo worked
}

redis_start() { # COMMAND...: a server that this launches
	serve "$@" redis-server --port 0 --unixsocket "$scratch/redis" --save ''
}

redis_end() {
	redis-cli -s "$scratch/redis" shutdown nosave >"$scratch/said" 2>&1
	wait "$server" 2>/dev/null
}

redis_plain() { # REQUESTS: requests a second of one, without the tool
	redis_start
	redis_rate $(($1 / 4)) >"$scratch/said" # it gets faster
	redis_rate "$1"
	redis_end
}

# redis_launched KIND WHAT REQUESTS: of a server that perftool has launched
redis_launched() {
	local -n functions=redis_$2
	local words=() function report=$scratch/redis.json

	for function in "${functions[@]}"; do
		words+=(-e "time $function")
	done
	rm -f "$report"
	redis_start "$tool" -q -n -b -f json -o "$report" \
		-e 'set mechanism fast' -e "set counting $1" "${words[@]}" --
	redis_rate $(($3 / 4)) >"$scratch/said"
	record "redis-$1-$2" "$(redis_rate "$3")"
	redis-cli -s "$scratch/redis" info commandstats >"$scratch/commands"
	redis_end
	[ "$2" != zero ] || return 0
	# its own figures: each command, and each GET
	/usr/bin/python3 - "$report" "$scratch/commands" >"$scratch/hits" <<-'END' ||
		import json, re, sys
		table = json.load(open(sys.argv[1]))
		legs = {leg["name"]: leg for leg in table["legs"]}
		calls = dict(re.findall(r"cmdstat_(\S+):calls=(\d+)",
		                        open(sys.argv[2]).read()))
		count = legs["processCommand"]["count"]
		# that question itself comes on top; the last has no end
		assert count == sum(map(int, calls.values())) + 1, count
		assert legs["getCommand"]["count"] == int(calls["get"])
		print(table["summary"]["breaks"] / count)
		print(len(table["legs"]))
	END
		die "redis: $1: counts are not its own"
	record "redis-$1-$2-hits" "$(sed -n 1p "$scratch/hits")"
	record "redis-$2-functions" "$(sed -n 2p "$scratch/hits")"
}

measure_redis() { # ROUND
	local before kind

	redis=$(command -v redis-server)
	if [ -z "$redis" ] || ! command -v redis-benchmark >"$scratch/said" ||
		[ "$1" -gt $redis_rounds ]; then
		return
	fi
	serve redis-server --port 0 --unixsocket "$scratch/redis" --save ''
	redis_rate 100000 >"$scratch/said"
	before=$(redis_rate 100000)
	redis_perftool fast one 100000
	redis_perftool fast twenty 100000
	redis_perftool int3 one 20000
	redis_perftool int3 twenty 5000
	peer_does bpftrace redis_bpftrace one 100000
	peer_does bpftrace redis_bpftrace twenty 20000
	record redis-none "$(calc "($before + $(redis_rate 100000)) / 2")"
	dismiss
	before=$(redis_plain 100000)
	redis_launched program zero 100000
	for kind in program ring; do
		redis_launched $kind twenty 100000
		redis_launched $kind all 20000
	done
	record redis-plain "$(calc "($before + $(redis_plain 100000)) / 2")"
}

redis_row() { # NAME TEXT [FIGURE]: beside that one, or nothing traced
	have "redis-$1" || return 0
	ratio "redis-$1-of-none" "redis-$1" "${3:-redis-none}"
	show "redis-$1" /s "$2"
	show "redis-$1-of-none" x "  of what it is without"
}

show_redis() {
	local what

	if ! have redis-none; then
		echo "redis-server and redis-benchmark are not installed:" \
			"not measured"
		return
	fi
	echo "redis-server, requests a second (medians of $redis_rounds rounds)"
	show redis-none /s "attached to, nothing traced"
	for what in one twenty; do
		echo "  attached, time for each call of" \
			"${what/twenty/20} function(s):" \
			"$(calc "$(median "redis-fast-$what-hits")")" \
			"hits a request"
		redis_row "fast-$what" "perftool, fast"
		redis_row "bpftrace-$what" "bpftrace"
		redis_row "int3-$what" "perftool, int3"
	done
	show redis-plain /s "launched, nothing traced"
	redis_row program-zero "perftool, no function" redis-plain
	for what in twenty all; do
		echo "  launched, time for each call of" \
			"$(median "redis-$what-functions") functions:" \
			"$(calc "$(median "redis-program-$what-hits")")" \
			"hits a request"
		redis_row "program-$what" "counting program" redis-plain
		redis_row "ring-$what" "counting ring" redis-plain
	done
	show_absent bpftrace
}
