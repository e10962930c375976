# lib.sh - TAP for tests written in bash: `. "$(dirname "$0")/../lib.sh"`
#
# A test is a program that prints "ok" and "not ok" lines, and at its end their
# number, with done_testing. It starts in an empty scratch directory with a
# home directory of its own; both go when it ends, and so does every process
# that it started with `start`. Nothing here waits for a time to pass: wait_for
# waits for a condition, and gives up at a bound.
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
# (tests/surroundings sets the two variables)
export HOME=${PERFTOOL_TEST_HOME:-$SCRATCH/home}
export LC_ALL=${PERFTOOL_TEST_LOCALE:-C.UTF-8} PATH=$BUILD:$PATH
export PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1
[ -z "${PERFTOOL_TEST_NO_TERM:-}" ] || unset TERM
unset XDG_CONFIG_HOME XDG_STATE_HOME NO_COLOR DEBUGINFOD_URLS
mkdir "$SCRATCH/home" "$SCRATCH/work"
cd "$SCRATCH/work" || exit 2

# wait_for SECONDS COMMAND...
# shellcheck source=wait.sh
. "$ROOT/tests/wait.sh"

TESTS=0
FAILED=0
STARTED=()
TOLD=0 # commands

clean_up() {
	local pid
	for pid in "${STARTED[@]}"; do
		kill -KILL "$pid" 2>/dev/null
	done
	if declare -F test_clean_up >/dev/null; then
		test_clean_up
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

diag() { # its input, as comments
	sed 's/^/#   /' | head -n 60
}

# ok NAME COMMAND...: the command succeeds
ok() {
	local name=$1
	shift
	if "$@"; then pass "$name"; else fail "$name" "failed: $*"; fi
}

# is GOT WANTED NAME
is() {
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3" "got:    $1" "wanted: $2"
	fi
}

# like TEXT REGEX NAME: an extended regular expression, over the whole text
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

# near GOT WANTED SLACK NAME: whole numbers
near() {
	if [ "$1" -ge $(($2 - $3)) ] && [ "$1" -le $(($2 + $3)) ]; then
		pass "$4"
	else
		fail "$4" "got $1, wanted $2, give or take $3"
	fi
}

done_testing() {
	echo "1..$TESTS"
	[ "$FAILED" = 0 ]
	exit
}

# ---- running things -------------------------------------------------------

# try COMMAND...: sets $status, $out and $err; standard input is empty unless
# redirected: try cat <file.
try() {
	timeout --kill-after=5 "$LIMIT" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
	status=$?
	out=$(tr -d '\0' <"$SCRATCH/out")
	err=$(tr -d '\0' <"$SCRATCH/err")
	return 0
}

# fails_with STATUS REGEX NAME COMMAND...: this status, one line on standard
# error, which matches, and nothing on standard output
fails_with() {
	local wanted=$1 regex=$2 name=$3
	shift 3
	try "$@" </dev/null
	if [ "$status" = "$wanted" ] && [[ $err =~ $regex ]] &&
		[ "$(wc -l <"$SCRATCH/err")" = 1 ] && [ -z "$out" ]; then
		pass "$name"
	else
		fail "$name" "$*" "status $status, wanted $wanted" \
			"wanted one line on standard error like: $regex" \
			"standard error:" "$err" "standard output:" "$out"
	fi
}

# start COMMAND...: in the background, killed when the test ends; sets $started.
# With job control, for without it a shell makes such a command ignore SIGINT.
start() {
	set -m
	"$@" &
	started=$!
	set +m
	STARTED+=("$started")
}

# end_tool SIGNAL: to $tool, which was started; sets $status when it has ended
# shellcheck disable=SC2154 # the test sets it
end_tool() {
	kill "-$1" "$tool"
	wait "$tool" 2>/dev/null
	status=$?
}

# ---- a program that is asked, line by line ----------------------------------

# serve COMMAND...: in the background; sets $server, and $reply to the first
# line that it says. Its standard input is fd 3, its standard output fd 4, until
# the next one's are.
serve() {
	rm -f in out
	mkfifo in out
	exec 3<>in 4<>out
	start "$@" <in >out 3>&- 4>&-
	server=$started
	hear
}

# hear: sets $reply to the server's next line
hear() {
	reply=
	IFS= read -r -t 30 reply <&4
}

# ask LINE: sets $reply to what the server answers
ask() {
	echo "$1" >&3
	hear
}

# says LINE ANSWER NAME: the server answers so
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

# attach_told OPTION... >said: perftool, attached to the server; sets $tool.
# Its standard input is fd 5, as long as `tell` is to be used.
attach_told() {
	rm -f commands
	mkfifo commands
	exec 5<>commands
	start perftool "$@" -p "$server" <commands 3>&- 4>&- 5>&-
	tool=$started
}

# tell COMMAND...: returns when the tool has done them
tell() {
	printf '%s\n' "$@" "evaluate $((++TOLD + 7000))" >&5
	wait_for "$LIMIT" grep -q $((TOLD + 7000)) said ||
		fail 'the tool does not answer' "$*" "$(tail said)"
}

# ---- what is true ---------------------------------------------------------

# status_of PID FIELD: its first word in /proc/PID/status
status_of() {
	sed -n "s/^$2:[[:space:]]*\\([^[:space:]]*\\).*/\\1/p" "/proc/$1/status"
}

# address_of FUNCTION PROGRAM: of one that is not moved when it is loaded
address_of() {
	echo $((16#$(nm "$2" | sed -n "s/^\\([0-9a-f]*\\) T $1\$/\\1/p")))
}

# byte_at PID ADDRESS: of its memory, as two hexadecimal digits
byte_at() {
	dd if="/proc/$1/mem" bs=1 skip="$2" count=1 status=none |
		od -An -tx1 | tr -d ' '
}

# has_patch PID ADDRESS: is there a breakpoint, be it an int3, a jump or a jump
# with a prefix?
has_patch() {
	[[ $(byte_at "$1" "$2") =~ ^(cc|e9|2e)$ ]]
}

# foreign PID: how many bytes of its code, of all files that it has mapped, are
# not those of the files
foreign() {
	/usr/bin/python3 - "$1" <<-'END'
		import sys
		bad = seen = 0
		memory = open("/proc/%s/mem" % sys.argv[1], "rb", 0)
		for line in open("/proc/%s/maps" % sys.argv[1]):
		    where, rights, offset, _, _, *path = line.split()
		    if "x" not in rights or not path or path[0][0] != "/" \
		            or "(deleted)" in line:
		        continue
		    low, high = (int(x, 16) for x in where.split("-"))
		    memory.seek(low)
		    here = memory.read(high - low)
		    with open(path[0], "rb") as file:
		        file.seek(int(offset, 16))
		        there = file.read(high - low)
		    there += bytes(len(here) - len(there))
		    seen += len(here)
		    if here != there:
		        bad += sum(a != b for a, b in zip(here, there))
		print(bad if seen > 1000000 else "no text")
	END
}

# gdb_count PLACE COMMAND...: how often gdb finds PLACE executed (PLACE may be
# in a library that is loaded later). The program's output is thrown away.
gdb_count() {
	local place=$1
	shift
	SHELL=/bin/sh timeout --kill-after=5 "$LIMIT" gdb -nx -batch \
		-ex 'set breakpoint pending on' -ex 'set confirm off' \
		-ex "break $place" \
		-ex 'ignore 1 100000000' -ex run -ex 'info breakpoints' \
		--args "$@" </dev/null 2>/dev/null |
		sed -n 's/.*already hit \([0-9]*\) times\{0,1\}.*/\1/p' |
		awk '{ sum += $1 } END { print sum + 0 }'
}

# times FUNC... -- COMMAND...: perftool -t each FUNC; the report is in t.json; if
# $MECHANISM is set, with that one; if $PENDING is, names may come later
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

# batch COMMAND... -- PROGRAM [ARG...]: perftool -e each COMMAND, monitor on,
# and the report in t.json; if $MECHANISM is set, with that one; if $PENDING is,
# names may come later
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

# json EXPRESSION [FILE]: a Python expression over `t`, the object in t.json.
# node(N) and leg(N) are the rows of these numbers, entry(F) is the node at a
# function's entry, exit(F) that of its exits or returns, its leg is time(F); counted() is what does not depend on time.
json() {
	/usr/bin/python3 - "$1" "${2:-t.json}" <<-'END'
		import json, sys
		t = json.load(open(sys.argv[2]))
		def one(rows):
		    rows = list(rows)
		    assert len(rows) == 1, rows
		    return rows[0]
		def node(n):
		    return one(x for x in t["nodes"] if x["id"] == n)
		def leg(n):
		    return one(x for x in t["legs"] if x["id"] == n)
		def entry(f, kind="entry"):
		    return one(x for x in t["nodes"]
		               if x["function"] == f and x["kind"] == kind)
		def exit(f):
		    """Where it is left, or where its frames end."""
		    return one(x for x in t["nodes"] if x["function"] == f
		               and x["kind"] in ("exit", "return"))
		def time(f):
		    return one(x for x in t["legs"] if x["from"] == entry(f)["id"])
		def kept():
		    """The conservation rule, of every leg."""
		    return all(
		        node(l["from"])["count"] == l["count"] + l["ignored_from"]
		        + l["unwound"] + l["discarded"] + l["open"]
		        and node(l["to"])["count"] == l["count"] + l["ignored_to"]
		        for l in t["legs"])
		def counted():
		    return ([(n["location"], n["count"], n["errors"])
		             for n in t["nodes"]],
		            [(l["count"], l["ignored_from"], l["ignored_to"],
		              l["unwound"], l["discarded"], l["open"])
		             for l in t["legs"]])
		value = eval("(" + sys.argv[1] + ")")
		print(*value if isinstance(value, (list, tuple)) else [value])
	END
}

# mechanisms: of the nodes of the report in t.json, in their order; or each once
mechanisms() {
	json '[n["mechanism"] for n in t["nodes"]]'
}
mechanisms_once() {
	json 'sorted({n["mechanism"] for n in t["nodes"]})'
}

# own WORD: the number after WORD in what the program said, in $out
own() {
	sed -n "s/.*\\b$1 \\([0-9][0-9]*\\).*/\\1/p" <<<"$out" | head -n 1
}
