# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: programs at work: how many hits a second, and how long they
# stand still.

measure_rates() {
	local count

	for count in 1 4 16; do
		timeout 60 "$tool" -n -q -t work --for 1s -f json \
			-o "$scratch/rate.json" "$bench/spin" "$count" \
			>/dev/null 2>"$scratch/said" ||
			die "spin $count: $(tail -n 3 "$scratch/said")"
		record "rate-$count" "$(awk '
			/"elapsed_ns":/ { gsub(/[^0-9]/, ""); elapsed = $0 }
			/"breaks":/ { gsub(/[^0-9]/, ""); breaks = $0 }
			END { if (elapsed) print breaks / elapsed * 1e9 }' \
			"$scratch/rate.json")"
	done
}

show_rates() {
	local count

	echo "Hits a second, all threads calling one function as fast as they can"
	for count in 1 4 16; do
		row "$count threads" "$(median "rate-$count")" /s \
			"($(spread "rate-$count"))"
	done
}

# What the program below is told.
mkfifo "$scratch/told"
exec 3<>"$scratch/told"

serve() { # COMMAND...: a program that says it is ready; its pid in $server
	: >"$scratch/served" # that of the one before says that it is ready
	"$@" <&3 >"$scratch/served" 2>&1 &
	server=$!
	wait_for 30 grep -qi ready "$scratch/served" ||
		die "$1 does not get ready"
}

dismiss() {
	kill -KILL "$server"
	wait "$server" 2>/dev/null
}

stood() { # NAME LINE: the milliseconds that this line of it tells
	record "$1" "$(grep -o 'stood still for [0-9.]* ms' "$scratch/said" |
		sed -n "$2s/[^0-9.]*\([0-9.]*\).*/\1/p")"
}

measure_pauses() {
	serve "$bench/spin" 64 1000
	timeout 60 "$tool" -n -b -p "$server" -e 'break entry work if 1' \
		-e 'delete breaks' -e detach >"$scratch/said" 2>&1 ||
		die "spin 64: $(tail -n 3 "$scratch/said")"
	stood pause-attach 1
	stood pause-break 2
	stood pause-delete 3
	stood pause-detach 4
	dismiss
}

show_pauses() {
	echo "All 64 threads of a program stand still"
	row "to be attached to" "$(median pause-attach)" ms "($(spread pause-attach))"
	row "for a breakpoint" "$(median pause-break)" ms "($(spread pause-break))"
	row "for its removal" "$(median pause-delete)" ms "($(spread pause-delete))"
	row "to be detached from" "$(median pause-detach)" ms "($(spread pause-detach))"
}

# many KEY GLOB: a breakpoint at ten thousand functions of the server
many() {
	local began=$EPOCHREALTIME

	timeout 60 "$tool" -n -b -p "$server" -e "break entry $2 if 1" \
		-e detach >"$scratch/said" 2>&1 ||
		die "many: $(tail -n 3 "$scratch/said")"
	grep -q ' 10000 places' "$scratch/said" || die "many: not all places"
	record "$1-seconds" "$(calc "$EPOCHREALTIME - $began")"
	stood "$1-pause" 2
}

# With a first instruction that has room for a jump; and tests/programs/crowd.c,
# where most have none.
measure_many() {
	serve "$bench/many"
	many many 'function_*'
	dismiss
	serve "$build/tests/programs/crowd" 4
	echo go >&3
	many short 'crowd_*'
	dismiss
}

show_many() {
	echo "A breakpoint at 10,000 functions of a running program, as jumps"
	goal many-seconds s '<=' 2 "attach, find, patch, detach: all in all"
	goal many-pause ms '<=' 100 "the program stands still to be patched"
	echo "  where most of them begin with a short instruction"
	goal short-seconds s '<=' 2 "all in all, with short instructions"
	goal short-pause ms '<=' 100 "it stands still, with short instructions"
}

measure_server() {
	local began

	command -v redis-server >/dev/null || return 0
	serve redis-server --port 0 --unixsocket "$scratch/redis" --save ''
	began=$EPOCHREALTIME
	timeout 60 "$tool" -n -b -p "$server" -e 'break entry processCommand if 1' \
		-e detach >"$scratch/said" 2>&1 ||
		die "redis-server: $(tail -n 3 "$scratch/said")"
	record server-ready "$(calc "($EPOCHREALTIME - $began) * 1000")"
	stood server-pause 1
	dismiss
}

show_server() {
	if ! have server-ready; then
		echo "redis-server is not installed: not measured"
		return
	fi
	echo "redis-server: attach, a breakpoint in processCommand, detach"
	row "all in all" "$(median server-ready)" ms "($(spread server-ready))"
	row "it stands still to be attached to" "$(median server-pause)" ms \
		"($(spread server-pause))"
}
