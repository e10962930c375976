# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: figures, what is derived of them, and how they are shown.
#
# A figure is a file with one line per round. One that is derived of others is
# derived round by round, so that what disturbs the machine disturbs both.

die() {
	echo "bench: $*" >&2
	exit 1
}

record() { # NAME VALUE
	[ -n "$2" ] || die "nothing was measured for $1"
	echo "$2" >>"$figures/$1"
}

have() { # NAME...: was each measured?
	local name

	for name; do
		[ -s "$figures/$name" ] || return 1
	done
}

derive() { # NAME EXPRESSION FIGURE FIGURE: of a and b, in the terms of awk
	have "$3" "$4" || return 0
	(cd "$figures" && paste -d ' ' "$3" "$4") |
		awk "NF == 2 { a = \$1; b = \$2; printf \"%.9g\\n\", $2 }" \
			>"$figures/$1"
}

difference() { # NAME FIGURE FIGURE
	derive "$1" "a - b" "$2" "$3"
}

ratio() { # NAME FIGURE FIGURE
	derive "$1" "a / b" "$2" "$3"
}

median() { # NAME
	sort -g "$figures/$1" | awk '{ v[NR] = $1 }
		END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

spread() { # NAME: the smallest and the largest
	sort -g "$figures/$1" | sed -n '1p;$p' | awk '
		{ v[NR] = sprintf(($1 < 1e4 && $1 > -1e4) ? "%.4g" : "%.0f", $1) }
		END { print v[1] " .. " v[NR] }'
}

calc() { # an expression of awk
	awk "BEGIN { x = $1
		printf((x < 1e4 && x > -1e4) ? \"%.4g\" : \"%.0f\", x) }"
}

row() { # NAME FIGURE UNIT REMARK
	printf '  %-42s %10s %-3s %s\n' "$@"
}

# verdict RATIO OPERATOR GOAL
verdict() {
	if awk "BEGIN { exit !($1 $2 $3) }"; then
		echo "goal $2 $3: met"
	else
		echo "goal $2 $3: MISSED"
	fi
}

# show NAME UNIT TEXT [REMARK]: nothing if it was not measured
show() {
	have "$1" || return 0
	row "$3" "$(calc "$(median "$1")")" "$2" "($(spread "$1"))${4+ $4}"
}

# goal NAME UNIT OPERATOR BOUND TEXT: of a figure's size; also in the list at
# the end
goal() {
	local size said

	have "$1" || return 0
	size=$(median "$1")
	said=$(verdict "${size#-}" "$3" "$4")
	show "$1" "$2" "$5" "$said"
	row "${5#"${5%%[! ]*}"}" "$(calc "$size")" "$2" \
		"($(spread "$1")) $said" >>"$figures/goals"
}

# All of them, as a table: its lines are sorted by name.
write_figures() {
	local name

	echo '# name median min max rounds'
	for name in $(cd "$figures" && printf '%s\n' * | grep -vx goals | sort); do
		sort -g "$figures/$name" | awk -v name="$name" '{ v[NR] = $1 }
			END { h = int(NR / 2)
			m = NR % 2 ? v[h + 1] : (v[h] + v[h + 1]) / 2
			printf "%s %.6g %.6g %.6g %d\n", name, m, v[1], v[NR], NR }'
	done
}

# ---- other tools ---------------------------------------------------------

# Why one is left out, by its name.
declare -A absent=()

ns_of() { # COMMAND...: the number after "ns" that it prints
	timeout 120 "$@" </dev/null 2>"$scratch/messages" |
		sed -n 's/^ns //p' | tail -n 1
}

# What a tool said last about why it did not work.
complaint() {
	grep -v '^ *$' "$scratch/messages" | tail -n 1 | cut -c 1-70
}

# peer_does TOOL COMMAND...: what it says of itself, in $said, unless the tool
# is not there or does not work here.
peer_does() {
	local tool=$1
	shift
	said=
	[ -z "${absent[$tool]-}" ] || return 1
	if ! command -v "$tool" >/dev/null; then
		absent[$tool]="is not installed"
		return 1
	fi
	said=$("$@")
	[ -n "$said" ] || absent[$tool]="does not work here: $(complaint)"
	[ -n "$said" ]
}

peer() { # TOOL NAME COMMAND...: record it
	local tool=$1 name=$2
	shift 2
	! peer_does "$tool" "$@" || record "$name" "$said"
}

show_absent() { # [TOOL...]: of all, unless some are named
	local tool

	[ $# -gt 0 ] || set -- "${!absent[@]}"
	for tool; do
		[ -z "${absent[$tool]-}" ] ||
			echo "  $tool ${absent[$tool]}: not measured"
	done | sort
}
