# shellcheck shell=bash disable=SC2154
# Sourced by run.sh, after pairs.sh: what threads that count by themselves (`set
# counting program') cost, beside records (`ring'), other tools and nothing:
# time, threads at the same time, memory.

program_kinds=(program ring)
# One burst after the other: of these the median, too, since somebody else may
# have the processor during some.
steady=(2400000 1 12000 steady)

# program_ns KIND COUNT...: ns a call of a function whose pair makes a leg
program_ns() {
	local kind=$1
	shift
	perftool_ns fast "set counting $kind" 'break entry framed' \
		'break exit framed' 'add leg 1 2 match=nested' -- framed "$@"
}

# ---- all the time, and in a burst -------------------------------------------

measure_calls() {
	local kind

	record calls-none "$(ns_of "$pair" framed "${burst[@]}")"
	record calls-none-steady "$(ns_of "$pair" framed "${steady[@]}")"
	for kind in "${program_kinds[@]}"; do
		record "calls-with-$kind" "$(program_ns "$kind" "${burst[@]}")"
		record "calls-with-$kind-steady" \
			"$(program_ns "$kind" "${steady[@]}")"
	done
	peer uftrace calls-with-uftrace uftrace_ns framed "${burst[@]}"
	peer uftrace calls-with-uftrace-steady uftrace_ns framed "${steady[@]}"
	peer bpftrace calls-with-bpftrace-steady bpftrace_pair framed \
		24000 1 240 steady
	peer valgrind calls-with-callgrind-steady ns_of valgrind \
		--tool=callgrind --callgrind-out-file=/dev/null \
		"$pair" framed "${steady[@]}"
}

derive_calls() {
	local what

	for what in program ring uftrace; do
		difference "calls-$what" "calls-with-$what" calls-none
	done
	for what in program ring uftrace bpftrace callgrind; do
		difference "calls-$what-steady" "calls-with-$what-steady" \
			calls-none-steady
		ratio "calls-$what-steady-to-burst" "calls-$what-steady" \
			"calls-$what"
		ratio "calls-program-to-$what" calls-program-steady \
			"calls-$what-steady"
	done
}

show_calls() {
	local what

	derive_calls
	echo "A function called all the time, and in bursts of ${burst[2]}:" \
		"what its pair adds"
	show calls-none ns "without the tool, a call costs, in a burst"
	show calls-none-steady ns "  all the time"
	show calls-program ns "counting program, in a burst"
	show calls-program-steady ns "  all the time"
	goal calls-program-steady-to-burst x '<=' 1.25 \
		"  counting program, all the time / in a burst"
	show calls-ring ns "counting ring, in a burst"
	show calls-ring-steady ns "  all the time"
	show calls-ring-steady-to-burst x "  all the time / in a burst"
	show calls-uftrace ns "uftrace, in a burst"
	show calls-uftrace-steady ns "  all the time"
	show calls-uftrace-steady-to-burst x "  all the time / in a burst"
	show calls-bpftrace-steady ns "bpftrace, all the time"
	show calls-callgrind-steady ns "callgrind, all the time (no times)"
	goal calls-program-to-uftrace x '<=' 0.4 \
		"counting program / uftrace, both all the time"
	for what in ring bpftrace callgrind; do
		show "calls-program-to-$what" x "  / $what"
	done
	show_absent uftrace bpftrace valgrind
}

# ---- threads at the same time -----------------------------------------------

# Calls in all, so that it takes as long with and without.
threads_calls=4000000
threads_counts=(1 2 4 8)
threads_rounds=$((rounds < 3 ? rounds : 3))

# rate_of COMMAND...: the number after "rate" that it prints; the best of three,
# for whatever else runs on one of the processors takes some of it
rate_of() {
	for _ in 1 2 3; do
		timeout 120 "$@" </dev/null 2>"$scratch/messages" |
			sed -n 's/^rate //p'
	done | sort -g | tail -n 1
}

measure_threads() { # ROUND
	local threads

	[ "$1" -le $threads_rounds ] || return 0
	for threads in "${threads_counts[@]}"; do
		record "calls-rate-$threads" "$(rate_of "$pair" framed \
			$((20 * threads_calls / threads)) "$threads")"
		record "calls-rate-program-$threads" "$(rate_of "$tool" -q -n \
			-b -o "$scratch/tables" -e 'set mechanism fast' \
			-e 'set counting program' -e 'break entry framed' \
			-e 'break exit framed' -e 'add leg 1 2 match=nested' \
			"$pair" framed $((threads_calls / threads)) "$threads")"
	done
}

show_threads() {
	local threads name text

	echo "Threads that call one function all the time, counting program:" \
		"calls a second of all (medians of $threads_rounds rounds)"
	for threads in "${threads_counts[@]}"; do
		name=calls-rate-program-$threads
		ratio "$name-of-none" "$name" "calls-rate-$threads"
		row "$threads thread(s), without the tool" \
			"$(median "calls-rate-$threads")" /s \
			"($(spread "calls-rate-$threads"))"
		row "  counting program" "$(median "$name")" /s \
			"($(spread "$name"))"
		show "$name-of-none" x "  of what it is without"
	done
	for threads in "${threads_counts[@]:1}"; do
		name=calls-kept-$threads
		text="$threads threads / 1, each of what it is without"
		ratio "$name" "calls-rate-program-$threads-of-none" \
			calls-rate-program-1-of-none
		# nothing is lost, within what the machine disturbs
		if [ "$threads" -le "$(nproc)" ]; then
			goal "$name" x '>=' 0.95 "$text"
		else
			show "$name" x "$text"
		fi
	done
}

# ---- memory -----------------------------------------------------------------

memory_rounds=$((rounds < 2 ? rounds : 2))
memory_threads=(1 10 150)
memory_legs=(1 100)

memory_of() { # THREADS LEGS COMMAND...: KiB
	local threads=$1 legs=$2
	shift 2
	timeout 120 "$@" "$bench/resident" "$threads" "$legs" </dev/null \
		2>"$scratch/messages" | sed -n 's/^kb //p'
}

measure_memory() { # ROUND
	local threads legs kind functions

	[ "$1" -le $memory_rounds ] || return 0
	for threads in "${memory_threads[@]}"; do
		for legs in "${memory_legs[@]}"; do
			functions='leg_*'
			[ "$legs" -gt 1 ] || functions=leg_0
			record "memory-none-$threads-$legs" \
				"$(memory_of "$threads" "$legs")"
			for kind in "${program_kinds[@]}"; do
				record "memory-$kind-$threads-$legs" \
					"$(memory_of "$threads" "$legs" \
						"$tool" -q -n -b \
						-o "$scratch/tables" \
						-e 'set mechanism fast' \
						-e "set counting $kind" \
						-e "time $functions most=100" --)"
			done
		done
	done
	record memory-profile-none "$(memory_of 1000 100)"
	record memory-profile "$(memory_of 1000 100 "$tool" -q -n -b \
		-e "profile functions '*'" -e run \
		-e "print functions > $scratch/tables" --)"
}

show_memory() {
	local threads legs kind name

	for kind in "${program_kinds[@]}"; do
		for threads in "${memory_threads[@]}"; do
			for legs in "${memory_legs[@]}"; do
				name=$threads-$legs
				derive "memory-added-$kind-$name" '(a - b) / 1024' \
					"memory-$kind-$name" "memory-none-$name"
			done
		done
		# each but the first, with its trampolines
		derive "memory-leg-$kind" "(a - b) * 1024 / 99 / 150" \
			"memory-added-$kind-150-100" "memory-added-$kind-150-1"
	done
	derive memory-profile-thread '(a - b) / 1000' memory-profile \
		memory-profile-none
	echo "Memory that a program has more, threads that execute all legs" \
		"(medians of $memory_rounds rounds)"
	for kind in "${program_kinds[@]}"; do
		for threads in "${memory_threads[@]}"; do
			for legs in "${memory_legs[@]}"; do
				show "memory-added-$kind-$threads-$legs" MiB \
					"counting $kind, $threads thread(s), $legs leg(s)"
			done
		done
	done
	for kind in "${program_kinds[@]}"; do
		goal "memory-added-$kind-150-1" MiB '<=' 16 \
			"counting $kind, 150 threads time one function"
		goal "memory-leg-$kind" KiB '<=' 2 \
			"counting $kind, each further leg, of a thread"
	done
	goal memory-profile-thread KiB '<=' 1024 \
		"profile functions '*', each of 1,000 threads that call 100 functions"
}
