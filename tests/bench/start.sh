# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: how long until a breakpoint in main, and how much memory.

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
	local key=$1 what unit

	echo "Start to a breakpoint in $(place_of_main "$2") of $2" \
		"($(stat -Lc %s "$2" | awk '{ printf "%.1f", $1 / 1e6 }') MB)"
	for what in time:s memory:KB; do
		unit=${what#*:}
		what=${what%:*}
		ratio "start-$key-$what" \
			"perftool-$key-$what" "gdb-$key-$what"
		show "gdb-$key-$what" "$unit" "gdb, $what"
		show "perftool-$key-$what" "$unit" "perftool, $what"
		if [ "$what" = time ]; then
			goal "start-$key-time" x '<=' 0.2 \
				"  perftool / gdb, start of ${2##*/}"
		else
			show "start-$key-memory" x "  perftool / gdb"
		fi
	done
}

measure_starts() {
	local program

	for program in "${programs[@]}"; do
		measure_start "${program%%:*}" "${program#*:}"
	done
}

show_starts() {
	local program

	for program in "${programs[@]}"; do
		[ "$program" = "${programs[0]}" ] || echo
		show_start "${program%%:*}" "${program#*:}"
	done
}

programs=("sqlite3:$(command -v sqlite3)"
	"python3:$(readlink -f /usr/bin/python3)"
	"biggest:$(biggest_program)" "itself:$tool")
