#!/usr/bin/env bash
# What the tool maps into a program is little in every account of the kernel:
# addresses (RLIMIT_AS), locked memory (mlockall), and core files.
# tier: core full
# covers: probe/rings target/remote
. "$(dirname "$0")/../lib.sh"

reserves=$PROGRAMS/reserves

# measured ARGUMENT...: runs the program with the tool
measured() {
	try perftool -q -n -f json -o t.json -e "set mechanism $mechanism" \
		-t work -- "$reserves" "$@"
}

# kib WORD TEXT: the number behind the word in the text
kib() {
	sed -n "s/.*\\b$1 \\([0-9]*\\).*/\\1/p" <<<"$2"
}

# at_most WHAT BOUND TEXT ALONE NAME: of what the program has in the TEXT, at
# most BOUND KiB more are there than in ALONE
at_most() {
	local more=$(($(kib "$1" "$3") - $(kib "$1" "$4")))

	if [ "$more" -le "$2" ]; then
		pass "$5"
	else
		fail "$5" "$more KiB more, at most $2 are allowed" "$3" "$4"
	fi
}

# What is mapped for code and for a table of places: 16 MiB; and blocks of 7 MiB for
# threads, of which there are at most twice as many as threads.
addresses_for() { # THREADS
	echo $((16384 + 2 * ($1 + 1) * 7168))
}

for mechanism in $(sampled 1 auto int3); do
	for threads in 1 16; do
		"$reserves" "$threads" >alone
		measured "$threads"
		is "$status $(kib threads "$out") $(json 'time("work")["count"]')" \
			"0 $threads $((threads + 1))" "$mechanism, $threads threads: each execution counts"
		at_most size "$(addresses_for "$threads")" "$out" "$(<alone)" \
			"$mechanism, $threads threads: few addresses"
	done

	# far more than the program needs
	measured 1 limit 200
	is "$status $(kib threads "$out") $(json 'time("work")["count"]')" '0 1 2' \
		"$mechanism: a program with few addresses has room for its own"
	# less than the blocks of all threads need
	"$reserves" 40 limit 100 >alone
	measured 40 limit 100
	is "$status $(kib threads "$out")" "0 $(kib threads "$(<alone)")" \
		"$mechanism: a program with very few addresses makes its threads"
	is "$(json 'time("work")["count"]')" 41 \
		"$mechanism: a program with very few addresses is measured"
done

# ---- a program that locks its memory ------------------------------------------

# The program locks its memory before the tool comes; then its threads call work().
if ! "$reserves" 1 lock >alone 2>&1; then
	skip 'this user may not lock memory'
else
	for mechanism in $(sampled 1 auto int3); do
		"$reserves" 64 lock >alone
		mkfifo go
		: >locked
		"$reserves" 64 lock wait <>go >locked &
		program=$!
		wait_for 20 grep -q waits locked
		start perftool -q -n -f json -o t.json -e "set mechanism $mechanism" \
			-t work -p "$program"
		low=$(sed -n '1s/-.*//p' "/proc/$program/maps")
		wait_for 20 has_patch "$program" \
			$((16#$low + $(address_of work "$reserves")))
		echo >go
		wait "$program"
		wait "$started"
		is "$(json 'time("work")["count"]')" 64 "$mechanism, locked memory: each execution counts"
		at_most locked 4096 "$(<locked)" "$(<alone)" "$mechanism: no locked memory more"
		at_most peak 8192 "$(<locked)" "$(<alone)" "$mechanism: little memory more"
		rm go
	done
fi

# ---- core files -----------------------------------------------------------------

# core_kib COMMAND...: prints the size of the core file that the program leaves
core_kib() {
	(
		ulimit -c unlimited
		mkdir core && cd core && "$@" >/dev/null 2>&1
		du -sk core* | cut -f 1
	) 2>/dev/null
	rm -rf core
}

if [[ $(</proc/sys/kernel/core_pattern) != core* || $(ulimit -Hc) != unlimited ]]; then
	skip 'core files are not written here'
else
	# The text of the C library and of the loader is in the file if the tool has
	# put breakpoints there: 2 MiB.
	alone=$(core_kib "$reserves" 64 abort)
	with=$(core_kib perftool -q -n -o report -t work -- "$reserves" 64 abort)
	ok "a core file has nothing of the tool's ($with KiB, without $alone)" \
		[ "${with:-none}" -le $((${alone:?there is no core file} * 11 / 10 + 2048)) ]
fi

done_testing
