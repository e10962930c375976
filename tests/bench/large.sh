# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: the first answers about a library with a lot of debug
# information, each in a process of its own, beside gdb's: with the index that
# an earlier process has kept, and, as the first time, without it.

large=
for large in /usr/lib/jvm/*/lib/server/libjvm.so; do
	# the one whose debug information is there
	id=$(readelf -n "$large" 2>/dev/null |
		sed -n 's/^ *Build ID: *\(..\)\(.*\)/\1\/\2/p')
	large_debug=/usr/lib/debug/.build-id/$id.debug
	[ -n "$id" ] && [ -r "$large_debug" ] && break
	large=
done
large_rounds=$((rounds < 3 ? rounds : 3))
large_function=JVM_IsSupportedJNIVersion

large_gdb() { # COMMAND... of gdb
	local commands=() command

	for command; do
		commands+=(-ex "$command")
	done
	printf '%s\n' gdb -nx -batch -ex 'set debuginfod enabled off' \
		-ex 'set auto-load off' "${commands[@]}"
}

# Start a program that loads it, to a stop in it.
large_break() { # KEY PLACE
	local words key

	# The first start of perftool-KEY keeps the index for the second, which
	# is the one that counts.
	for key in "perftool-$1" "perftool-$1-first"; do
		words=("$tool" -n -b --pending)
		[ "$key" = "perftool-$1" ] ||
			words+=(-e 'set index-cache off')
		words+=(-e "break $2" -e run -e kill "$bench/load" "$large"
			"$large_function")
		[ "$key" != "perftool-$1" ] ||
			"${words[@]}" </dev/null >/dev/null 2>&1
		watched "$key" "${words[@]}"
	done
	mapfile -t words < <(large_gdb 'set breakpoint pending on' \
		"break $2" run kill)
	watched "gdb-$1" "${words[@]}" --args "$bench/load" "$large" \
		"$large_function"
}

# A question that needs no program. A question that is not measured has kept
# the index.
large_ask() { # KEY QUESTION NAME
	local key what answer kept=$XDG_CACHE_HOME/lookup

	[ -d "$kept" ] || LOOKUP_CACHE=$kept "$bench/lookup" "$2" "$3" \
		"$large" >/dev/null 2>&1

	for key in "$1" "$1-first"; do
		for what in time memory; do
			answer=$(
				[ "$key" != "$1" ] ||
					export LOOKUP_CACHE=$kept
				timeout 120 "$bench/watch" $what \
					"$bench/lookup" "$2" "$3" "$large" \
					2>"$scratch/said"
			) || die "$1: $(tail -n 3 "$scratch/said")"
			case $answer in
			*' 0') die "$1: nothing was found of $3" ;;
			esac
			record "perftool-$key-$what" \
				"$(sed -n 's/^watch //p' "$scratch/said")"
		done
	done
}

large_ask_gdb() { # KEY COMMAND
	local what words

	mapfile -t words < <(large_gdb "$2")
	for what in time memory; do
		timeout 300 "$bench/watch" $what "${words[@]}" "$large" \
			</dev/null >/dev/null 2>"$scratch/said" ||
			die "gdb, $1: $(tail -n 3 "$scratch/said")"
		record "gdb-$1-$what" \
			"$(sed -n 's/^watch //p' "$scratch/said")"
	done
}

measure_large() { # ROUND
	if [ -z "$large" ] || [ "$1" -gt $large_rounds ]; then
		return
	fi
	large_break large-name "$large_function"
	large_break large-line "$large_line"
	large_ask large-inlined inlined Atomic::add
	large_ask large-complete complete JVM_
	large_ask large-type type JavaThread
	large_ask large-variable variable UseG1GC
	# these take gdb the most of a minute each
	if [ "$1" = 1 ]; then
		large_ask_gdb large-inlined 'break Atomic::add'
		large_ask_gdb large-complete 'complete break JVM_'
		large_ask_gdb large-type 'ptype JavaThread'
		large_ask_gdb large-variable 'print &UseG1GC'
	fi
}

large_row() { # KEY WHAT GOAL
	local ours gdbs

	ours=$(median "perftool-$1-time")
	gdbs=$(median "gdb-$1-time")
	row "$2" "$ours" s "($(spread "perftool-$1-time")); $(verdict \
		"$ours" '<=' "$3")"
	row "  gdb" "$gdbs" s "$(calc "$gdbs / $ours") x"
	row "  the first time" "$(median "perftool-$1-first-time")" s \
		"($(spread "perftool-$1-first-time"))"
	ours=$(median "perftool-$1-memory")
	gdbs=$(median "gdb-$1-memory")
	row "  memory" "$ours" KB "of gdb's $gdbs KB; $(verdict \
		"$(calc "$ours / $gdbs")" '<' 1)"
}

show_large() {
	if [ -z "$large" ]; then
		echo "No libjvm.so with its debug information is installed" \
			"(Debian: openjdk-17-jdk-headless, openjdk-17-dbg):"
		echo "what large debug information costs is not measured"
		return
	fi
	echo "The first answer about $large"
	echo "($(stat -Lc %s "$large_debug" | awk '{ printf "%.0f", $1 / 1e6 }')" \
		"MB of debug information, medians of $large_rounds rounds; gdb's" \
		"of one but for breakpoints)"
	large_row large-name "start to a breakpoint by name" 0.5
	large_row large-line "start to a breakpoint by line" 1
	large_row large-inlined "all inlined copies of a function" 0.5
	large_row large-complete "completion" 0.1
	large_row large-type "a type" 1
	large_row large-variable "a variable" 1
}

# Where the function is, as FILE:LINE of code that is run when it is called.
[ -z "$large" ] || large_line=$("$bench/lookup" source "$large_function" \
	"$large" | sed -n 's|^place .*/||p')
