#!/usr/bin/env bash
# The figures: perftool beside other ways of doing the same, in one run.
#
# usage: tests/bench/run.sh BUILD [ROUNDS]     (7 rounds)
#
# In each round everything is measured once, one after the other, so that what
# disturbs the machine disturbs all of it; the medians are shown. Figures
# depend on the machine; what is compared with a goal are ratios of one run.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$(cd "${1:?usage: tests/bench/run.sh BUILD [ROUNDS]}" && pwd) || exit 2
rounds=${2:-7}
bench=$build/tests/bench
tool=$build/perftool
export LC_ALL=C
unset DEBUGINFOD_URLS
# wait_for SECONDS COMMAND...
# shellcheck source=../wait.sh
. tests/wait.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() {
	echo "bench: $*" >&2
	exit 1
}

# ---- figures: one file per name, one line per round ----------------------

record() { # NAME VALUE
	[ -n "$2" ] || die "nothing was measured for $1"
	echo "$2" >>"$scratch/$1"
}

median() { # NAME
	sort -g "$scratch/$1" | awk '{ v[NR] = $1 }
		END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

spread() { # NAME: the smallest and the largest
	sort -g "$scratch/$1" | awk '{ v[NR] = $1 }
		END { printf "%.6g .. %.6g", v[1], v[NR] }'
}

calc() { # an expression of awk
	awk "BEGIN { printf \"%.5g\", $1 }"
}

# verdict RATIO OPERATOR GOAL
verdict() {
	if awk "BEGIN { exit !($1 $2 $3) }"; then
		echo "goal $2 $3: met"
	else
		echo "goal $2 $3: MISSED"
	fi
}

row() { # NAME FIGURE UNIT REMARK
	printf '  %-36s %12s %-3s %s\n' "$@"
}

# ---- what a hit costs ------------------------------------------------------

ns_of() { # COMMAND...: the number after "ns" that it prints
	timeout 120 "$@" </dev/null 2>"$scratch/messages" |
		sed -n 's/^ns //p' | tail -n 1
}

perftool_hits() { # COUNT
	ns_of "$tool" -q -n -b -e 'break entry hit' -e 'condition 1 1' \
		-e 'collect nodes' -e 'monitor on' -e run "$bench/hits" "$1"
}

cat >"$scratch/gdb-hits" <<-END
	set debuginfod enabled off
	break *hit
	commands
	silent
	continue
	end
	run
END

measure_hits() {
	record plain "$(ns_of "$bench/hits" 1000000)"
	record oneloop "$(ns_of "$bench/oneloop" 20000)"
	record perftool "$(perftool_hits 20000)"
	record classic "$(ns_of "$bench/classic" 5000)"
	record gdb "$(ns_of gdb -nx -batch -x "$scratch/gdb-hits" \
		--args "$bench/hits" 1000)"
}

show_hits() {
	local plain one tool_ns other ratio

	plain=$(median plain)
	one=$(calc "$(median oneloop) - $plain")
	tool_ns=$(calc "$(median perftool) - $plain")
	echo "What one hit of a node adds to the program (medians of $rounds rounds)"
	row "the least possible: one stop" "$one" ns "($(spread oneloop))"
	ratio=$(calc "$tool_ns / $one")
	row "perftool" "$tool_ns" ns "($(spread perftool))"
	row "" "$ratio" x "of the least; $(verdict "$ratio" '<=' 1.15)"
	for other in classic:3 gdb:25; do
		ratio=$(calc "($(median "${other%:*}") - $plain) / $tool_ns")
		row "${other%:*}" "$(calc "$(median "${other%:*}") - $plain")" \
			ns "($(spread "${other%:*}"))"
		row "" "$ratio" x "perftool's; $(verdict "$ratio" '>=' "${other#*:}")"
	done
}

# ---- how true the time of a leg is -----------------------------------------

measure_bodies() {
	local name own mean

	timeout 120 "$tool" -q -n -f json -o "$scratch/bodies.json" \
		-t 'body_*' "$bench/bodies" >"$scratch/own" ||
		die "perftool failed on bodies"
	while read -r name _ own; do
		mean=$(/usr/bin/python3 - "$scratch/bodies.json" "$name" <<-'END'
			import json, sys
			t = json.load(open(sys.argv[1]))
			ids = {n["id"] for n in t["nodes"]
			       if n["function"] == sys.argv[2]}
			print(*[l["mean_ns"] for l in t["legs"]
			        if l["from"] in ids and l["mean_ns"] is not None])
		END
		)
		record "$name-own" "$own"
		record "$name-error" "$(calc "$mean - $own")"
	done <"$scratch/own"
}

show_bodies() {
	local name own error limit

	echo "The mean of a leg less the program's own (medians of $rounds rounds)"
	for name in body_1us body_10us body_100us body_1ms; do
		own=$(median "$name-own")
		error=$(median "$name-error")
		limit=$(calc "300 + 0.03 * $own")
		row "$name, own mean $own ns" "$error" ns "($(spread "$name-error"))"
		row "" "$(calc "100 * $error / $own")" % \
			"$(verdict "$(calc "$error < 0 ? -($error) : $error")" '<=' "$limit")"
	done
}

# ---- how long until a breakpoint in main, and how much memory --------------

has_main() { # FILE: has it a symbol of this name?
	readelf -sW "$1" 2>/dev/null | awk '$4 == "FUNC" && $7 != "UND" &&
		$8 == "main" { found = 1 } END { exit !found }'
}

# The biggest program of PATH that has a symbol `main`.
biggest_program() {
	local directory file

	# shellcheck disable=SC2086 # a directory a word
	for directory in ${PATH//:/ }; do
		find -L "$directory" -maxdepth 1 -type f -size +1M \
			-printf '%s %p\n' 2>/dev/null
	done | sort -rnu | head -n 40 | while read -r _ file; do
		if has_main "$file" && readelf -lW "$file" 2>/dev/null |
			grep -q INTERP; then
			echo "$file"
			break
		fi
	done
}

# Without a symbol `main`, the function of the C library that calls it.
place_of_main() {
	if has_main "$1"; then echo main; else echo __libc_start_main; fi
}

watched() { # NAME COMMAND...
	local name=$1 what
	shift
	for what in time memory; do
		timeout 120 "$bench/watch" $what "$@" </dev/null \
			>"$scratch/said" 2>&1
		grep -q '^Breakpoint 1, ' "$scratch/said" ||
			die "$name: no breakpoint: $(tail -n 3 "$scratch/said")"
		record "$name-$what" "$(sed -n 's/^watch //p' "$scratch/said")"
	done
}

measure_start() { # KEY PROGRAM
	local place

	place=$(place_of_main "$2")
	watched "perftool-$1" "$tool" -n -b -e "break $place" -e run -e kill "$2"
	watched "gdb-$1" gdb -nx -batch -ex 'set debuginfod enabled off' \
		-ex 'set breakpoint pending on' -ex "break $place" -ex run \
		-ex kill "$2"
}

show_start() { # KEY PROGRAM
	local key=$1 what ratio unit

	echo "Start to a breakpoint in $(place_of_main "$2") of $2" \
		"($(stat -Lc %s "$2" | awk '{ printf "%.1f", $1 / 1e6 }') MB)"
	for what in time:s memory:KB; do
		unit=${what#*:}
		what=${what%:*}
		ratio=$(calc "$(median "perftool-$key-$what") / $(median "gdb-$key-$what")")
		row "gdb, $what" "$(median "gdb-$key-$what")" "$unit" \
			"($(spread "gdb-$key-$what"))"
		row "perftool, $what" "$(median "perftool-$key-$what")" "$unit" \
			"($(spread "perftool-$key-$what"))"
		if [ "$what" = time ]; then
			row "" "$ratio" x "of gdb's; $(verdict "$ratio" '<=' 0.25)"
		else
			row "" "$ratio" x "of gdb's"
		fi
	done
}

# ---- several threads --------------------------------------------------------

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

# ---- a running program --------------------------------------------------------

serve() { # COMMAND...: a program that says it is ready; its pid in $server
	"$@" >"$scratch/served" 2>&1 &
	server=$!
	wait_for 10 grep -qi ready "$scratch/served" ||
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

measure_server() {
	local began

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
	echo "redis-server: attach, a breakpoint in processCommand, detach"
	row "all in all" "$(median server-ready)" ms "($(spread server-ready))"
	row "it stands still to be attached to" "$(median server-pause)" ms \
		"($(spread server-pause))"
}

# ---- conditions, keys, splits --------------------------------------------------

# shellcheck source=conditions.sh
. tests/bench/conditions.sh

# ---- counting ------------------------------------------------------------------

# shellcheck source=counting.sh
. tests/bench/counting.sh

# ---- a lot of debug information ----------------------------------------------

# shellcheck source=large.sh
. tests/bench/large.sh

programs=("sqlite3:$(command -v sqlite3)"
	"python3:$(readlink -f /usr/bin/python3)"
	"biggest:$(biggest_program)" "itself:$tool")

redis=$(command -v redis-server)

for ((round = 1; round <= rounds; round++)); do
	[ ! -t 2 ] || printf '\rbench: round %d of %d ' "$round" "$rounds" >&2
	measure_hits
	measure_conditions
	measure_counting
	measure_bodies
	measure_rates
	measure_pauses
	[ -z "$redis" ] || measure_server
	measure_large "$round"
	for program in "${programs[@]}"; do
		measure_start "${program%%:*}" "${program#*:}"
	done
done
[ ! -t 2 ] || printf '\r%40s\r' '' >&2

show_hits
echo
show_conditions
echo
show_counting
echo
show_bodies
echo
show_rates
echo
show_pauses
echo
if [ -n "$redis" ]; then
	show_server
else
	echo "redis-server is not installed: not measured"
fi
for program in "${programs[@]}"; do
	echo
	show_start "${program%%:*}" "${program#*:}"
done
echo
show_large
