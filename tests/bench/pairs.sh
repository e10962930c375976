# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: what a hit adds to a program, and what the entry and the
# exit of a function do, beside other tools.
#
# Bursts are what fits in a ring: what the jump itself costs. With calls all the
# time (`steady') a program waits for its hits to be counted.

pair=$bench/pair
burst=(1200000 1 12000)

# perftool_ns MECHANISM COMMAND... -- FUNCTION COUNT [THREADS BURST]: ns a call
perftool_ns() {
	local words=(-e "set mechanism $1")
	shift
	while [ "$1" != -- ]; do
		words+=(-e "$1")
		shift
	done
	shift
	ns_of "$tool" -q -n -b -o "$scratch/tables" "${words[@]}" "$pair" "$@"
}

# the same of an entry, of an entry and an exit that make a leg
perftool_hit() { # MECHANISM FUNCTION COUNT...
	perftool_ns "$1" "break entry $2 if 1" 'collect nodes' -- "${@:2}"
}
perftool_pair() { # MECHANISM FUNCTION COUNT...
	perftool_ns "$1" "break entry $2" "break exit $2" \
		'add leg 1 2 match=nested' -- "${@:2}"
}
perftool_pair_unordered() { # FUNCTION COUNT...
	perftool_ns fast 'set ordering off' "break entry $1" "break exit $1" \
		'add leg 1 2 match=nested' -- "$@"
}
perftool_pair_off() { # the same without time on the CPU
	perftool_ns "$1" 'set cpu-time off' "break entry $2" "break exit $2" \
		'add leg 1 2 match=nested' -- "${@:2}"
}

gdb_commands() { # PLACE...
	echo 'set debuginfod enabled off'
	printf 'break *%s\ncommands\nsilent\ncontinue\nend\n' "$@"
	echo run
}

gdb_ns() { # COUNT PLACE...
	local count=$1
	shift
	gdb_commands "$@" >"$scratch/gdb"
	ns_of gdb -nx -batch -x "$scratch/gdb" --args "$pair" framed "$count"
}

uftrace_ns() { # FUNCTION COUNT...
	rm -rf "$scratch/uftrace"
	ns_of uftrace record -d "$scratch/uftrace" -P "^$1\$" "$pair" "$@"
}

bpftrace_hit() { # FUNCTION COUNT
	ns_of bpftrace -e "uprobe:$pair:$1 { @ = count(); }" -c "$pair $*"
}
bpftrace_pair() { # FUNCTION COUNT
	cat >"$scratch/pair.bt" <<-END
		uprobe:$pair:$1 { @began[tid] = nsecs; }
		uretprobe:$pair:$1 /@began[tid]/ {
			@legs = count();
			@ns = hist(nsecs - @began[tid]);
			delete(@began[tid]);
		}
	END
	# what it prints besides goes to a file, for who wants the counts
	timeout 120 bpftrace "$scratch/pair.bt" -c "$pair $*" \
		</dev/null >"$scratch/bpftrace" 2>"$scratch/messages"
	sed -n 's/^ns //p' "$scratch/bpftrace"
}

measure_pairs() {
	record rdtsc "$(ns_of "$pair" rdtsc "${burst[@]}")"
	record ordered "$(ns_of "$pair" ordered "${burst[@]}")"
	record plain "$(ns_of "$pair" framed "${burst[@]}")"
	record plain-leaf "$(ns_of "$pair" leaf "${burst[@]}")"
	record plain-hit "$(ns_of "$bench/hits" 1000000)"

	record with-fast-hit "$(perftool_hit fast framed "${burst[@]}")"
	record with-fast-pair "$(perftool_pair fast framed "${burst[@]}")"
	record with-unordered-pair \
		"$(perftool_pair_unordered framed "${burst[@]}")"
	record with-fast-pair-leaf "$(perftool_pair fast leaf "${burst[@]}")"
	record with-fast-hit-steady "$(perftool_hit fast framed 4000000)"
	record with-fast-pair-steady "$(perftool_pair fast framed 2000000)"
	record with-int3-hit "$(perftool_hit int3 framed 20000)"
	record with-int3-pair "$(perftool_pair int3 framed 10000)"
	peer uftrace with-uftrace-pair uftrace_ns framed "${burst[@]}"
	peer uftrace with-uftrace-pair-steady uftrace_ns framed 2000000
	peer bpftrace with-bpftrace-hit bpftrace_hit framed 20000
	peer bpftrace with-bpftrace-pair bpftrace_pair framed 20000
	peer bpftrace with-bpftrace-hit-leaf bpftrace_hit leaf 5000
	peer bpftrace with-bpftrace-pair-leaf bpftrace_pair leaf 5000
	record with-oneloop-hit "$(ns_of "$bench/oneloop" 20000)"
	record with-classic-hit "$(ns_of "$bench/classic" 5000)"
	peer gdb with-gdb-hit gdb_ns 500 framed
	# its return instruction is 12 bytes behind
	peer gdb with-gdb-pair gdb_ns 300 framed 'framed+12'
	peer ltrace with-ltrace-pair ns_of ltrace -o /dev/null -L -x framed \
		"$pair" framed 1000
	peer valgrind with-callgrind-pair ns_of valgrind --tool=callgrind \
		--callgrind-out-file=/dev/null "$pair" framed 2000000
}

derive_pairs() {
	local name

	for name in "$figures"/with-*-hit* "$figures"/with-*-pair*; do
		name=${name##*/with-}
		case $name in
		*-leaf) difference "$name" "with-$name" plain-leaf ;;
		oneloop-* | classic-*)
			difference "$name" "with-$name" plain-hit ;;
		*) difference "$name" "with-$name" plain ;;
		esac
	done
	ratio pair-to-rdtsc fast-pair rdtsc
	ratio pair-to-ordered fast-pair ordered
	for name in rdtsc uftrace-pair bpftrace-pair; do
		ratio "unordered-to-$name" unordered-pair "$name"
	done
	for name in uftrace bpftrace gdb ltrace int3; do
		ratio "pair-to-$name" fast-pair "$name-pair"
	done
	ratio steady-to-uftrace fast-pair-steady uftrace-pair-steady
	ratio int3-to-oneloop int3-hit oneloop-hit
	ratio classic-to-int3 classic-hit int3-hit
	ratio gdb-to-int3 gdb-hit int3-hit
}

show_pairs() {
	derive_pairs
	echo "What one hit of a node adds (medians of $rounds rounds)"
	show rdtsc ns "a reading of the counter, for comparison"
	show ordered ns "  when all before it has been done"
	show fast-hit ns "perftool, fast"
	show fast-hit-steady ns "  all the time: waits for the reader"
	show bpftrace-hit ns "bpftrace, uprobe: emulated"
	show bpftrace-hit-leaf ns "  stepped"
	show oneloop-hit ns "the least with ptrace: one stop"
	show int3-hit ns "perftool, int3"
	goal int3-to-oneloop x '<=' 1.15 "  an int3 hit / the least"
	show classic-hit ns "ptrace, two stops"
	goal classic-to-int3 x '>=' 3 "  two stops / an int3 hit"
	show gdb-hit ns "gdb"
	goal gdb-to-int3 x '>=' 25 "  gdb / an int3 hit"
	echo
	echo "What the entry and the exit of an empty function add"
	show fast-pair ns "perftool, fast"
	show unordered-pair ns "  set ordering off"
	show fast-pair-leaf ns "  of a function without a frame"
	show fast-pair-steady ns "  all the time: waits for the reader"
	show uftrace-pair ns "uftrace -P"
	show uftrace-pair-steady ns "  all the time"
	show bpftrace-pair ns "bpftrace, histogram: entry emulated"
	show bpftrace-pair-leaf ns "  entry stepped"
	show int3-pair ns "perftool, int3"
	show ltrace-pair ns "ltrace -x"
	show gdb-pair ns "gdb, silent and continue"
	show callgrind-pair ns "callgrind (no times; all code is slower)"
	goal pair-to-rdtsc x '<=' 2.5 "a fast pair / a reading of the counter"
	goal pair-to-ordered x '<=' 2.5 "  / one when all before has been done"
	goal unordered-to-rdtsc x '<=' 2.5 \
		"  the same, ordering off / a reading of the counter"
	goal pair-to-uftrace x '<=' 0.2 "a fast pair / uftrace's"
	show unordered-to-uftrace-pair x "  ordering off"
	show steady-to-uftrace x "  both all the time"
	goal pair-to-bpftrace x '<=' 0.02 "a fast pair / bpftrace's"
	show unordered-to-bpftrace-pair x "  ordering off"
	goal pair-to-gdb x '<=' 0.0001 "a fast pair / gdb's"
	show_absent
}
