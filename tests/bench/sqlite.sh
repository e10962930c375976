# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: sqlite3 at work, with 1, 100 and all functions of its
# library traced. Of these only the symbols are known.

sqlite_library=$(ldd "$(command -v sqlite3)" 2>/dev/null |
	sed -n 's/.*=> \(.*\/libsqlite3\.so[^ ]*\) .*/\1/p')
sqlite_rounds=$((rounds < 3 ? rounds : 3))
# what is traced: one that is busy, about a hundred, all
declare -A sqlite_globs=(
	[one]='sqlite3BtreeInsert'
	[hundred]='sqlite3B*'
	[all]='sqlite3_* sqlite3[A-O]* sqlite3[P-Z]* sqlite3[a-z]*'
)
sqlite_work=(sqlite3 -init "$scratch/work.sql" :memory: .quit)
sed s/300/60000/g tests/sqlite.sql >"$scratch/work.sql"

# What it takes all in all, in seconds; what it prints must be right.
sqlite_seconds() { # COMMAND...
	timeout 300 "$bench/watch" time "$@" </dev/null >"$scratch/said" \
		2>"$scratch/messages"
	grep -qx 42857 "$scratch/said" &&
		sed -n 's/^watch //p' "$scratch/messages"
}

sqlite_perftool() { # KIND WHAT
	local glob words=()

	set -f
	for glob in ${sqlite_globs[$2]}; do
		words+=(-t "$glob@${sqlite_library##*/}")
	done
	set +f
	sqlite_seconds "$tool" -q -n -f json -o "$scratch/sqlite-$1-$2.json" \
		-e "set counting $1" "${words[@]}" "${sqlite_work[@]}"
}

# What its report says.
sqlite_report() { # KIND-WHAT
	local name value

	while read -r name value; do
		record "sqlite-$1-$name" "$value"
	done < <(/usr/bin/python3 - "$scratch/sqlite-$1.json" <<-'END'
		import json, sys
		table = json.load(open(sys.argv[1]))
		entries = [n["mechanism"] for n in table["nodes"]
		           if n["kind"] == "entry"]
		print("hits", table["summary"]["breaks"])
		print("calls", sum(n["count"] for n in table["nodes"]
		                   if n["kind"] == "entry"))
		print("elapsed", table["summary"]["elapsed_ns"] / 1e9)
		print("less", table["summary"]["elapsed_less_overhead_ns"] / 1e9)
		print("counted", 100 * sum(l["count"] for l in table["legs"]
		                           if l["counted"] == "program")
		      / sum(l["count"] for l in table["legs"]))
		print("functions", len(entries))
		print("fast", 100 * entries.count("fast") / len(entries))
	END
	)
}

sqlite_uftrace() { # WHAT
	local glob words=() patterns=${sqlite_globs[$1]}

	[ "$1" = all ] && patterns='*'
	set -f
	for glob in $patterns; do
		# regular expressions are what it takes unless told
		words+=(-P "$glob@${sqlite_library##*/}")
	done
	set +f
	rm -rf "$scratch/uftrace"
	sqlite_seconds uftrace record --match=glob --no-libcall --force \
		-d "$scratch/uftrace" "${words[@]}" "${sqlite_work[@]}"
}

# How many calls that has seen of functions of the library: once, it takes long.
sqlite_uftrace_calls() { # WHAT ROUND
	if [ "$2" != 1 ] || ! have "sqlite-uftrace-$1"; then
		return
	fi
	record "sqlite-uftrace-$1-calls" "$(uftrace report --no-pager -s call \
		-d "$scratch/uftrace" 2>"$scratch/messages" |
		awk '$NF ~ /^sqlite3/ { sum += $(NF - 1) } END { print sum }')"
}

sqlite_bpftrace() {
	local probe=$sqlite_library:${sqlite_globs[one]}

	cat >"$scratch/sqlite.bt" <<-END
		uprobe:$probe { @began[tid] = nsecs; }
		uretprobe:$probe /@began[tid]/ {
			@ns = hist(nsecs - @began[tid]);
			delete(@began[tid]);
		}
	END
	sqlite_seconds bpftrace "$scratch/sqlite.bt" -c \
		"$(command -v sqlite3) ${sqlite_work[*]:1}"
}

sqlite_callgrind() {
	sqlite_seconds valgrind --tool=callgrind \
		--callgrind-out-file=/dev/null "${sqlite_work[@]}"
}

measure_sqlite() { # ROUND
	local what kind

	if [ -z "$sqlite_library" ] || [ "$1" -gt $sqlite_rounds ]; then
		return
	fi
	record sqlite-none "$(sqlite_seconds "${sqlite_work[@]}")"
	for what in one hundred all; do
		for kind in program ring; do
			record "sqlite-$kind-$what" \
				"$(sqlite_perftool $kind $what)"
			sqlite_report "$kind-$what"
		done
		peer uftrace "sqlite-uftrace-$what" sqlite_uftrace $what
		sqlite_uftrace_calls $what "$1"
	done
	peer bpftrace sqlite-bpftrace-one sqlite_bpftrace
	peer valgrind sqlite-callgrind sqlite_callgrind
}

sqlite_row() { # FIGURE TEXT
	ratio "$1-slower" "$1" sqlite-none
	show "$1" s "$2"
	show "$1-slower" x "  of none"
}

# What the header says that it would have taken without the tool: how wrong.
sqlite_less() { # KIND WHAT
	local name=sqlite-$1-$2 text="Elapsed Time less Overhead, error"

	derive "$name-less-error" "(a / b - 1) * 100" "$name-less" sqlite-none
	if [ "$1-$2" = program-all ]; then
		goal "$name-less-error" % '<=' 10 "  $text, all functions"
	else
		show "$name-less-error" % "  $text"
	fi
}

show_sqlite() {
	local what kind

	if [ -z "$sqlite_library" ]; then
		echo "sqlite3 is not installed, or has no shared library:" \
			"not measured"
		return
	fi
	echo "sqlite3 at work, from start to end (medians of $sqlite_rounds rounds)"
	show sqlite-none s "nothing traced"
	for what in one hundred all; do
		for kind in program ring; do
			sqlite_row "sqlite-$kind-$what" "$(printf \
				'counting %s, %d of its functions' $kind \
				"$(median "sqlite-$kind-$what-functions")")"
			show "sqlite-$kind-$what-elapsed" s "  from main on"
			sqlite_less "$kind" "$what"
			show "sqlite-$kind-$what-calls" "" "  calls seen"
		done
		sqlite_row "sqlite-uftrace-$what" "uftrace -P, the same"
		show "sqlite-uftrace-$what-calls" "" "  calls seen"
		[ $what != one ] ||
			sqlite_row sqlite-bpftrace-one "bpftrace, the same"
	done
	sqlite_row sqlite-callgrind "callgrind, everything"
	goal sqlite-program-all-fast % '>=' 99 \
		"function entries that are fast nodes"
	show sqlite-program-all-counted % "calls that only threads have counted"
	ratio sqlite-program-to-uftrace sqlite-program-all-slower \
		sqlite-uftrace-all-slower
	goal sqlite-program-to-uftrace x '<=' 0.5 \
		"all functions, counting program / uftrace"
	ratio sqlite-program-to-callgrind sqlite-program-all-slower \
		sqlite-callgrind-slower
	show sqlite-program-to-callgrind x "  / callgrind"
	ratio sqlite-program-to-ring sqlite-program-all-slower \
		sqlite-ring-all-slower
	show sqlite-program-to-ring x "  / counting ring"
	show_absent uftrace bpftrace valgrind
}

# A million rows, imported and queried, all functions timed; once.
cat >"$scratch/million.sql" <<END_OF_SQL
create table t(a integer primary key, b text, c real);
.mode csv
.import $scratch/million.csv t
create index tb on t(b);
select count(*), sum(a), round(sum(c), 2) from t;
select b, count(*) n, round(sum(c), 2) from t
	group by b order by n desc, b limit 5;
select count(*) from t join t u on u.a = t.a + 1 where t.c < 100;
END_OF_SQL

million_seconds() { # COMMAND...
	rm -f "$scratch/million.db"
	timeout 600 "$bench/watch" time "$@" sqlite3 "$scratch/million.db" \
		".read $scratch/million.sql" </dev/null 2>"$scratch/messages" \
		>"$scratch/said"
	sed -n 's/^watch //p' "$scratch/messages"
}

measure_million() { # ROUND
	local glob words=()

	if [ -z "$sqlite_library" ] || [ "$1" -gt 1 ]; then
		return
	fi
	awk 'BEGIN { for (i = 0; i < 1000000; i++)
		printf "%d,name%d,%.3f\n", i, i * 7919 % 100003,
			i * 104729 % 1000003 / 1000 }' >"$scratch/million.csv"
	record million-none "$(million_seconds)"
	cp "$scratch/said" "$scratch/million.said"
	set -f
	for glob in ${sqlite_globs[all]}; do
		words+=(-t "$glob@${sqlite_library##*/}")
	done
	set +f
	record million-all "$(million_seconds "$tool" -q -n -f json \
		-o "$scratch/sqlite-million.json" -e 'set counting program' \
		"${words[@]}")"
	cmp -s "$scratch/said" "$scratch/million.said" ||
		die "sqlite3 said something else"
	sqlite_report million
	rm -f "$scratch/million.csv" "$scratch/million.db"
}

show_million() {
	have million-none || return 0
	echo "sqlite3 imports and queries a million rows, every function timed" \
		"(once)"
	show million-none s "nothing traced"
	ratio million-slower million-all million-none
	show million-all s "counting program, $(median \
		sqlite-million-functions) functions"
	show million-slower x "  of none"
	show sqlite-million-hits "" "  hits"
	show sqlite-million-calls "" "  calls"
}
