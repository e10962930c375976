# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by run.sh, after pairs.sh: what fast nodes cost in several threads, with
# conditions and values, in a recursion; what `set cpu-time off` saves; and that
# nothing is lost.

# Of several threads: on two processors four of them wait for each other, so
# what a hit costs is the time that its thread is on a CPU.
cpu_ns() { # COMMAND...
	timeout 120 "$@" </dev/null 2>"$scratch/messages" |
		sed -n 's/^cpu //p'
}
threads_with() { # THREADS
	cpu_ns "$tool" -q -n -b -o "$scratch/tables" \
		-e 'set mechanism fast' -e "break entry framed" \
		-e "break exit framed" -e 'add leg 1 2 match=nested' \
		"$pair" framed 600000 "$1" 12000
}

measure_fast() {
	local threads

	for threads in 1 2 4; do
		record "plain-threads-$threads" \
			"$(cpu_ns "$pair" framed 600000 $threads 12000)"
		record "with-threads-$threads" "$(threads_with $threads)"
	done
	record with-true "$(perftool_ns fast 'break entry leaf if $arg1 >= 0' \
		'collect nodes' -- leaf "${burst[@]}")"
	record with-false "$(perftool_ns fast 'break entry leaf if $arg1 < 0' \
		'collect nodes' -- leaf "${burst[@]}")"
	record with-none "$(perftool_ns fast 'break entry leaf if 1' \
		'collect nodes' -- leaf "${burst[@]}")"
	record with-value "$(perftool_ns fast 'break entry leaf if 1' \
		'add histogram node 1 log value=$arg1' -- leaf "${burst[@]}")"
	record with-by "$(perftool_ns fast 'break entry leaf if 1' \
		'split node 1 by=$arg1&7' -- leaf "${burst[@]}")"
	record with-fast-pair-off "$(perftool_pair_off fast framed "${burst[@]}")"
	record with-int3-pair-off "$(perftool_pair_off int3 framed 10000)"
	record plain-deep "$(ns_of "$pair" deep "${burst[@]}")"
	record with-deep "$(perftool_pair fast deep "${burst[@]}")"
	record deep-missed "$(calc "1200000 - $(awk '$3 == 1 && $4 == "->" {
		gsub(/[^0-9]/, "", $6); print $6 }' "$scratch/tables")")"
	peer uftrace with-uftrace-deep uftrace_ns deep "${burst[@]}"
	peer bpftrace with-bpftrace-deep bpftrace_pair deep 20000
	[ -n "${absent[bpftrace]-}" ] || record bpftrace-deep-missed \
		"$(calc "20000 - $(sed -n 's/^@legs: //p' "$scratch/bpftrace")")"
}

show_fast() {
	local what

	for what in true false none value by; do
		difference "expression-$what" "with-$what" plain-leaf
	done
	difference deep with-deep plain-deep
	difference uftrace-deep with-uftrace-deep plain-deep
	difference bpftrace-deep with-bpftrace-deep plain-deep
	for what in 1 2 4; do
		difference "threads-$what" "with-threads-$what" \
			"plain-threads-$what"
	done
	ratio four-to-one threads-4 threads-1
	for what in fast int3; do
		difference "$what-pair-off" "with-$what-pair-off" plain
		ratio "cpu-time-$what" "$what-pair" "$what-pair-off"
	done

	echo "A fast pair, in threads at the same time: time on a CPU that it adds"
	show threads-1 ns "1 thread"
	show threads-2 ns "2 threads"
	show threads-4 ns "4 threads"
	goal four-to-one x '<=' 1 "a fast pair with 4 threads / with 1"
	echo
	echo "What a fast hit with an expression adds (a function of no frame)"
	show expression-none ns "none"
	show expression-true ns 'a condition that is true: $arg1 >= 0'
	show expression-false ns 'a condition that is false: $arg1 < 0'
	show expression-value ns 'a histogram of $arg1'
	show expression-by ns 'split by $arg1 & 7'
	echo
	echo "Time on the CPU, with and without: a pair"
	show fast-pair ns "fast"
	show fast-pair-off ns "  set cpu-time off"
	show cpu-time-fast x "  with / without"
	show int3-pair ns "int3"
	show int3-pair-off ns "  set cpu-time off"
	show cpu-time-int3 x "  with / without"
	echo
	echo "A pair of a function that calls itself 20 deep"
	show deep ns "perftool, fast"
	goal deep-missed "" '==' 0 "  executions missed, of 1,200,000"
	show uftrace-deep ns "uftrace"
	show bpftrace-deep ns "bpftrace"
	show bpftrace-deep-missed "" "  executions missed, of 20,000"
}

# ---- nothing is lost --------------------------------------------------------

# Once: two hits a call, as fast as it can.
measure_lost() { # ROUND
	[ "$1" = 1 ] || return 0
	perftool_pair fast leaf 50000000 >/dev/null
	record lost "$(awk '/^[12] / && / leaf / { gsub(/,/, ""); sum += $4 }
		END { printf "%d\n", 100000000 - sum }' "$scratch/tables")"
}

show_lost() {
	echo "One hundred million fast hits, one after the other"
	goal lost "" '==' 0 "lost of them"
}
