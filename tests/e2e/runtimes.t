#!/usr/bin/env bash
# Runtimes that were not written for these tests: each compiles code, collects
# garbage, changes stacks or handles faults itself while it is measured. Each
# program counts its own calls and prints the same with perftool as without it.
# tier: full
# covers: probe/arrival probe/fast probe/site
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"

programs=$ROOT/tests/programs/runtimes
export GOCACHE=$SCRATCH/cache GO111MODULE=off GOTOOLCHAIN=local

# measures LEG: does the leg exist, and has the program continued after the stop
# for it?
# shellcheck disable=SC2317 # a condition of wait_for
measures() { # LEG
	awk -v leg="Leg $1: " 'index($0, leg) == 1 { last = 1 }
		last && /stood still/ { done = 1 } END { exit !done }' tool.err
}

# agree NAME: the counts of perftool at the entries of the functions are the
# counts of the program
agree() {
	local i
	for i in "${!words[@]}"; do
		is "$(json "node(leg($i)['from'])['count']")" \
			"$(out=$reply own "${words[i]}")" "$1: the count of ${functions[i]} is the program's own"
	done
	is "$(json 'kept()')" True "$1: the counts of legs and nodes agree"
}

# runtime NAME COUNT FUNCTION=WORD... -- COMMAND...: the command answers each
# number that it reads with its own counts, each after its WORD
runtime() {
	local name=$1 count=$2 functions=() words=() options=() mechanism i answer
	shift 2
	while [ "$1" != -- ]; do
		functions+=("${1%=*}")
		words+=("${1##*=}")
		options+=(-t "${1%=*}")
		shift
	done
	shift
	echo "$count" >numbers
	"$@" <numbers >plain
	answer=$(tail -n 1 plain)
	like "$answer" "${words[0]} [1-9]" "$name: the program works without perftool"
	for mechanism in int3 fast; do
		# ---- measured from its start ----
		try perftool -q -n -f json -o t.json \
			-e "set mechanism $mechanism" "${options[@]}" -- "$@" <numbers
		is "$status" 0 "$name, $mechanism: the program ends with status 0"
		is "$out" "$(<plain)" "$name, $mechanism: the output is as without perftool"
		reply=$answer
		agree "$name, $mechanism"

		# ---- attached to ----
		serve "$@"
		start perftool -n -f json -o t.json -e "set mechanism $mechanism" \
			"${options[@]}" -p "$server" 2>tool.err
		tool=$started
		wait_for 30 measures $((${#functions[@]} - 1)) ||
			fail "$name, $mechanism: perftool attaches" "$(<tool.err)"
		says "$count" "$answer" "$name, $mechanism: the program works while it is measured"
		end_tool INT
		is "$status" 0 "$name, $mechanism: perftool ends with status 0 at SIGINT"
		agree "$name, $mechanism, attached to"
		is "$(foreign "$server")" 0 "$name, $mechanism: the code is as before after detaching"

		# ---- attached to at any moment ----
		printf '%s\n' "$count" "$count" >&3
		for i in 1 2; do
			try perftool -q -n -f json -o t.json \
				-e "set mechanism $mechanism" "${options[@]}" \
				-p "$server" --for 50ms
			is "$status $(json 'kept()')" '0 True' \
				"$name, $mechanism: perftool attaches and detaches at any moment"
		done
		for i in 1 2; do
			hear
			is "$reply" "$answer" "$name, $mechanism: the program works after detaching"
		done
		is "$(foreign "$server")" 0 "$name, $mechanism: no patch is left in the code"
		end_server
	done
}

# lacks PACKAGE COMMAND: if the command is not installed, skips the test
lacks() {
	command -v "$2" >/dev/null && return 1
	pass "$1 is not installed # SKIP"
}

# ---- LuaJIT: a compiler that writes code while it runs ----
lacks luajit luajit ||
	runtime luajit 2000 getppid=calls -- luajit "$programs/work.lua"

# ---- Go and C ----
if go build -o go-work "$programs/work.go" 2>build.log; then
	runtime cgo 200 c_plain=plain c_back=back goBack=back main.napInC=nap -- \
		./go-work
else
	fail 'the program in Go and C compiles' "$(<build.log)"
fi

# ---- OCaml: exceptions that end calls without a return ----
if ! lacks ocaml-nox ocamlopt; then
	cp "$programs/work.ml" .
	ocamlfind ocamlopt -package unix -linkpkg -o ocaml-work work.ml \
		>build.log 2>&1 ||
		ocamlopt -o ocaml-work unix.cmxa work.ml >build.log 2>&1
	attempt=$(nm ocaml-work | grep -o 'camlWork.*attempt_.*')
	descend=$(nm ocaml-work | grep -o 'camlWork.*descend_.*')
	runtime ocaml 200 "$attempt=calls" unix_getppid=parents -- ./ocaml-work
	echo 200 >numbers
	for MECHANISM in int3 fast; do
		try perftool -q -n -f json -o t.json -e "set mechanism $MECHANISM" \
			-t "$descend" -- ./ocaml-work <numbers
		is "$(json 'leg(0)["unwound"], node(leg(0)["from"])["count"]')" \
			"$((21 * $(own raised))) $((21 * $(own calls)))" \
			"ocaml, $MECHANISM: exceptions unwind calls"
	done
fi

# ---- a JVM: collections, and null pointers that are found by SIGSEGV ----
if ! lacks openjdk-17-jdk-headless javac; then
	javac -d . "$programs/Work.java"
	java=(java -Xmx64m -XX:+UseG1GC -XX:-OmitStackTraceInFastThrow
		-XX:TieredStopAtLevel=1 -Xbatch Work)
	runtime java 100 'VM_G1CollectFull::doit=collections' -- "${java[@]}"
	# If a null pointer was used, the handler of signals finds an address
	# near 0 in the structure that its second argument points to. (There is
	# one more such fault at the start if the processor has AVX.)
	fault='JVM_handle_linux_signal if *(unsigned long *)($arg2 + 16) < 4096'
	for mechanism in int3 fast; do
		serve "${java[@]}"
		start perftool -n -b -f json -o t.json \
			-e "set mechanism $mechanism" -e "break entry $fault" \
			-e 'time JVM_GC' -p "$server" 2>tool.err
		tool=$started
		wait_for 30 measures 0
		ask 100
		end_tool INT
		is "$(json 'node(1)["count"]')" "$(out=$reply own met)" \
			"java, $mechanism: the JVM's own faults reach the JVM"
		end_server
	done
fi

# ---- node: V8, whose code the program maps a second time ----
lacks nodejs node ||
	runtime node 300 uv_os_getppid=calls -- node "$programs/work.js"

done_testing
