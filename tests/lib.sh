# lib.sh - TAP for tests written in bash: `. "$(dirname "$0")/../lib.sh"`
#
# A test is a program that prints "ok" and "not ok" lines. At its end it calls
# done_testing, which prints the number of these lines.
#
# A test starts in an empty scratch directory and has a home directory of its
# own. When the test ends, both directories are removed, and the processes that
# the test has started with `start` are killed.
#
# No function here waits for a fixed time: wait_for waits for a condition, and
# gives up after a bound.
#
# shellcheck shell=bash
set -u

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${PERFTOOL_BUILD:-$ROOT/build}
# shellcheck disable=SC2034 # for the tests
PROGRAMS=$BUILD/tests/programs
# shellcheck disable=SC2034
SAMPLES=$BUILD/samples
LIMIT=${PERFTOOL_LIMIT:-60} # seconds that one command may take

SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/perftool-test.XXXXXX")
# tests/surroundings sets PERFTOOL_TEST_HOME and PERFTOOL_TEST_LOCALE.
export HOME=${PERFTOOL_TEST_HOME:-$SCRATCH/home}
export LC_ALL=${PERFTOOL_TEST_LOCALE:-C.UTF-8}
# python3 and others are those of the system, and no scripts of a version manager.
export PATH=$BUILD:/usr/bin:$PATH
export PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
[ -z "${PERFTOOL_TEST_NO_TERM:-}" ] || unset TERM
unset XDG_CACHE_HOME XDG_CONFIG_HOME XDG_STATE_HOME NO_COLOR DEBUGINFOD_URLS
mkdir "$SCRATCH/home" "$SCRATCH/work"
cd "$SCRATCH/work" || exit 2

# wait_for SECONDS COMMAND...
# shellcheck source=wait.sh
. "$ROOT/tests/wait.sh"

status=0 out='' err='' # what `try` sets
TESTS=0
FAILED=0
STARTED=()
export PERFTOOL_TEST_ID=${PERFTOOL_TEST_ID:-${0##*/}.$$}
TOLD=0 # how many times `tell` was called

# is_ours PID: is the process a child of this shell, or does its environment have this
# test's ID? The number of a process that has ended may be another test's by now.
is_ours() {
	local key value words

	while read -r key value; do
		[ "$key $value" != "PPid: $$" ] || return 0
	done 2>/dev/null <"/proc/$1/status"
	mapfile -d '' -t words 2>/dev/null <"/proc/$1/environ"
	[[ " ${words[*]} " == *" PERFTOOL_TEST_ID=$PERFTOOL_TEST_ID "* ]]
}

clean_up() {
	local pid
	for pid in "${STARTED[@]}"; do
		! is_ours "$pid" || kill -KILL "$pid" 2>/dev/null
	done
	if declare -F test_clean_up >/dev/null; then
		test_clean_up
	fi
	if [ -p "$SCRATCH/ask" ]; then
		printf '\0' >"$SCRATCH/ask"
		read -r -N 1 <"$SCRATCH/answer" # until the evaluator has ended
	fi
	cd / && rm -rf "$SCRATCH"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

# ---- saying what was found ----------------------------------------------

pass() { # NAME
	TESTS=$((TESTS + 1))
	echo "ok $TESTS - $1"
}

fail() { # NAME [WHY...]
	TESTS=$((TESTS + 1))
	FAILED=$((FAILED + 1))
	echo "not ok $TESTS - $1"
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@" | diag
}

diag() { # prints its input as TAP comments, 60 lines at most
	sed 's/^/#   /' | head -n 60
}

# ok NAME COMMAND...: passes if the command succeeds
ok() {
	local name=$1
	shift
	if "$@"; then pass "$name"; else fail "$name" "failed: $*"; fi
}

# is GOT WANTED NAME: passes if the two texts are equal
is() {
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3" "got:    $1" "wanted: $2"
	fi
}

# like TEXT REGEX NAME: passes if the extended regular expression has a match in
# the text, which may be many lines. unlike: passes if there is no match.
like() {
	if [[ $1 =~ $2 ]]; then
		pass "$3"
	else
		fail "$3" "no match for: $2" "in:" "$1"
	fi
}

unlike() {
	if [[ $1 =~ $2 ]]; then
		fail "$3" "a match for: $2" "in:" "$1"
	else
		pass "$3"
	fi
}

# near GOT WANTED SLACK NAME: passes if two whole numbers differ by at most
# SLACK
near() {
	if [ "$1" -ge $(($2 - $3)) ] && [ "$1" -le $(($2 + $3)) ]; then
		pass "$4"
	else
		fail "$4" "got $1, wanted $2, give or take $3"
	fi
}

# ---- which cases are tried --------------------------------------------------

# A test of the tiers core and full tries a sample of its cases in the first. (Run by
# itself, it tries all.) The sample changes from day to day; with PERFTOOL_SEED it is
# that of the number.
CASES=0
SEED=${PERFTOOL_SEED:-$(date +%j)}
SEED=$((10#$SEED))

# in_full: are all cases to be tried?
in_full() {
	[ "${PERFTOOL_TIER:-full}" != core ]
}

# one_in N: is this case to be tried: always, or, in the tier core, one of N?
one_in() {
	CASES=$((CASES + 1))
	in_full || [ $(((CASES + SEED) % $1)) = 0 ]
}

# sampled N WORD...: prints all words, or, in the tier core, N of them
sampled() {
	local count=$1 i
	shift
	if in_full; then
		echo "$@"
		return
	fi
	for ((i = 0; i < count; i++)); do
		echo "${@:$(((SEED + i) % $# + 1)):1}"
	done
}
in_full || echo "# a sample of the cases, PERFTOOL_SEED=$SEED"

done_testing() {
	echo "1..$TESTS"
	[ "$FAILED" = 0 ]
	exit
}

# ---- running things -------------------------------------------------------

# within SECONDS COMMAND...: runs the command, and ends it if it does not end by itself
within() {
	"$PROGRAMS/within" "$@"
}

# try COMMAND...: runs the command, and sets $status, $out and $err. Standard
# input is empty unless the test redirects it: try cat <file.
try() {
	within "$LIMIT" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
	status=$?
	contents out "$SCRATCH/out"
	contents err "$SCRATCH/err"
	return 0
}

# contents VARIABLE FILE: sets the variable to what the file has, without null bytes
# and without the newlines at its end. It starts no process.
contents() {
	local parts text

	mapfile -d '' -t parts <"$2"
	printf -v text %s "${parts[@]}"
	printf -v "$1" %s "${text%"${text##*[!$'\n']}"}"
}

# fails_with STATUS REGEX NAME COMMAND...: passes if the command ends with this
# status, writes one line to standard error, which has a match of REGEX, and
# writes nothing to standard output
fails_with() {
	local wanted=$1 regex=$2 name=$3
	shift 3
	try "$@" </dev/null
	if [ "$status" = "$wanted" ] && [[ $err =~ $regex ]] &&
		[[ $err != *$'\n'* ]] && [ -z "$out" ]; then
		pass "$name"
	else
		fail "$name" "$*" "status $status, wanted $wanted" \
			"wanted one line on standard error like: $regex" \
			"standard error:" "$err" "standard output:" "$out"
	fi
}

# start COMMAND...: starts the command in the background, and sets $started to
# its process number. The command is killed when the test ends. Job control is
# on meanwhile, because without it a shell makes a background command ignore
# SIGINT.
start() {
	set -m
	"$@" &
	started=$!
	set +m
	STARTED+=("$started")
}

# end_tool SIGNAL: sends the signal to the process $tool, waits for its end, and
# sets $status
# shellcheck disable=SC2154 # the test sets it
end_tool() {
	kill "-$1" "$tool"
	wait "$tool" 2>/dev/null
	status=$?
}

# ---- a program that is asked, line by line ----------------------------------

# serve COMMAND...: starts a server in the background. Sets $server to its
# process number, and $reply to the first line that it prints. Descriptor 3 of
# the test is then the server's standard input and descriptor 4 its standard
# output, until the next call of `serve`.
serve() {
	rm -f in out
	mkfifo in out
	exec 3<>in 4<>out
	start "$@" <in >out 3>&- 4>&-
	server=$started
	hear
}

# hear: sets $reply to the next line that the server prints
hear() {
	reply=
	IFS= read -r -t 30 reply <&4
}

# ask LINE: sends the line to the server, and sets $reply to its answer
ask() {
	echo "$1" >&3
	hear
}

# says LINE ANSWER NAME: sends the line to the server, and passes if the server
# gives this answer
says() {
	ask "$1"
	is "$reply" "$2" "$3"
}

end_server() {
	kill -KILL "$server"
	wait "$server" 2>/dev/null
	exec 3>&- 4>&-
}

# ---- a tool that is told, command by command --------------------------------

# attach_told OPTION... >said: starts perftool, attached to the server, and sets
# $tool to its process number. Descriptor 5 of the test is the standard input of
# perftool; `tell` writes there, so the test keeps it open as long as it calls
# `tell`.
attach_told() {
	rm -f commands
	mkfifo commands
	exec 5<>commands
	start perftool "$@" -p "$server" <commands 3>&- 4>&- 5>&-
	tool=$started
}

# tell COMMAND...: gives the commands to the tool. Returns when the tool has
# carried them out: then the tool has printed the number that the last command
# evaluates.
tell() {
	printf '%s\n' "$@" "evaluate $((++TOLD + 7000))" >&5
	wait_for "$LIMIT" grep -q $((TOLD + 7000)) said ||
		fail 'the tool does not answer' "$*" "$(tail said)"
}

# ---- what is true ---------------------------------------------------------

# status_of PID FIELD: prints the first word of the field in /proc/PID/status
status_of() {
	sed -n "s/^$2:[[:space:]]*\\([^[:space:]]*\\).*/\\1/p" "/proc/$1/status"
}

# address_of FUNCTION PROGRAM: prints the address of the function, in a program
# whose load bias is 0
address_of() {
	echo $((16#$(nm "$2" | sed -n "s/^\\([0-9a-f]*\\) T $1\$/\\1/p")))
}

# byte_at PID ADDRESS: prints a byte of the memory of the process, as two
# hexadecimal digits
byte_at() {
	dd if="/proc/$1/mem" bs=1 skip="$2" count=1 status=none |
		od -An -tx1 | tr -d ' '
}

# has_patch PID ADDRESS: is there a patch of the tool at the address: an int3, a
# jump, or a jump with a prefix?
has_patch() {
	[[ $(byte_at "$1" "$2") =~ ^(cc|e9|2e)$ ]]
}

# has_jump PID ADDRESS: is there a jump of the tool?
has_jump() {
	[[ $(byte_at "$1" "$2") =~ ^(e9|2e)$ ]]
}

# foreign PID: prints how many bytes of code in the memory of the process differ
# from the files from which the code is mapped
foreign() {
	json "foreign($1)" /dev/null
}

# gdb_count PLACE COMMAND...: runs the command under gdb, and prints how often
# PLACE was executed. PLACE may be in a library that is loaded later. The output
# of the command is thrown away.
gdb_count() {
	local place=$1
	shift
	SHELL=/bin/sh within "$LIMIT" gdb -nx -batch \
		-ex 'set breakpoint pending on' -ex 'set confirm off' \
		-ex "break $place" \
		-ex 'ignore 1 100000000' -ex run -ex 'info breakpoints' \
		--args "$@" </dev/null 2>/dev/null |
		sed -n 's/.*already hit \([0-9]*\) times\{0,1\}.*/\1/p' |
		awk '{ sum += $1 } END { print sum + 0 }'
}

# times FUNC... -- COMMAND...: runs perftool with an option -t for each FUNC.
# The report is then in t.json. If $MECHANISM is set, the breakpoints use that
# mechanism. If $PENDING is set, the names may be those of functions that are
# loaded later.
times() {
	local options=()

	[ -z "${MECHANISM:-}" ] || options=(-e "set mechanism $MECHANISM")
	[ -z "${PENDING:-}" ] || options+=(--pending)
	rm -f t.json
	while [ "$1" != -- ]; do
		options+=(-t "$1")
		shift
	done
	shift
	try perftool -q -n -f json -o t.json "${options[@]}" -- "$@"
	[ "$status" != 125 ] || diag <<<"$err"
}

# batch COMMAND... -- PROGRAM [ARG...]: runs perftool in batch mode with an
# option -e for each COMMAND. The monitor is on. The report is then in t.json.
# $MECHANISM and $PENDING mean the same as for `times`.
batch() {
	local options=()

	[ -z "${MECHANISM:-}" ] || options=(-e "set mechanism $MECHANISM")
	[ -z "${PENDING:-}" ] || options+=(--pending)
	rm -f t.json
	while [ "$1" != -- ]; do
		options+=(-e "$1")
		shift
	done
	shift
	try perftool -q -n -b -f json -o t.json "${options[@]}" -- "$@"
	[ "$status" != 125 ] || diag <<<"$err"
}

# json EXPRESSION [FILE]: prints the value of a Python expression. `t` is the
# object in FILE (t.json if no file is given).
#
# - node(N) and leg(N) are the rows with these numbers.
# - entry(F) is the node at the entry of function F; exit(F) is the node of
#   its exits or returns; time(F) is the leg that begins at its entry.
# - kept() is whether the counts of every leg agree with those of its nodes.
# - counted() is what does not depend on time.
# - rows_of(ROW) is the split of a node or a leg.
#
# One process evaluates all expressions of a test (tests/evaluator.py). It is started
# by the first of them and ended by clean_up. It is no child of the test's shell, so
# that `wait` does not wait for it.
json() {
	local answer

	if [ ! -p "$SCRATCH/ask" ]; then
		mkfifo "$SCRATCH/answer" "$SCRATCH/ask"
		(/usr/bin/python3 "$ROOT/tests/evaluator.py" "$SCRATCH/ask" \
			"$SCRATCH/answer" </dev/null >/dev/null 2>&1 &)
	fi
	printf '%s\0' "$PWD" "${2:-t.json}" "$1" >"$SCRATCH/ask"
	answer=$(<"$SCRATCH/answer")
	case $answer in
	0*) printf '%s\n' "${answer#0}" ;;
	*)
		printf '%s\n' "${answer#?}" >&2
		return 1
		;;
	esac
}

# mechanisms: prints the mechanisms of the nodes of the report in t.json, in the
# order of the nodes. mechanisms_once: prints each of these mechanisms once.
mechanisms() {
	json '[n["mechanism"] for n in t["nodes"]]'
}
mechanisms_once() {
	json 'sorted({n["mechanism"] for n in t["nodes"]})'
}

# own WORD: prints the number after WORD in $out, the output of the program
own() {
	[[ $out =~ (^|[^A-Za-z0-9_])$1\ ([0-9]+) ]] && echo "${BASH_REMATCH[2]}"
}
