#!/usr/bin/env bash
# Programs that nobody here wrote, unmodified: counts against gdb's.
. "$(dirname "$0")/../lib.sh"

# same PLACE FUNCTION NAME COMMAND...: perftool counts what gdb counts
same() {
	local place=$1 function=$2 name=$3 wanted
	shift 3
	times "$place" -- "$@"
	is "$status" 0 "$name: status"
	is "$(sha256sum <"$SCRATCH/out")" "$("$@" 2>/dev/null | sha256sum)" \
		"$name: its output is its own"
	wanted=$(gdb_count "$function" "$@")
	ok "$name: gdb saw some" [ "$wanted" -gt 0 ]
	is "$(json "entry('$function')['count']")" "$wanted" \
		"$name: as many as gdb ($wanted)"
	is "$(json 'kept()')" True "$name: nothing disappears"
}

# ---- sqlite3: a script of some thousand statements ----
{
	echo 'create table t(a integer primary key, b text);'
	echo 'begin;'
	for ((i = 0; i < 1500; i++)); do
		echo "insert into t(b) values('row $i');"
	done
	echo 'commit;'
	for ((i = 1; i < 1500; i += 3)); do
		echo "select b from t where a = $i;"
	done
	echo 'select count(*), sum(length(b)) from t;'
} >script.sql
same sqlite3_step@libsqlite3.so.0 sqlite3_step sqlite3 \
	sqlite3 :memory: '.read script.sql'

# ---- python3: a glob over exported functions ----
work='d = {}
for i in range(200): d[str(i)] = i
e = dict(d); e.update(d); del e["7"]; print(len(e), sum(d.values()))'
times 'PyDict_*' -- /usr/bin/python3 -S -c "$work"
is "$status" 0 'python3: status'
is "$out" '199 19900' 'python3: its output is its own'
is "$(json 'kept()')" True 'python3: nothing disappears'
mapfile -t functions < <(json \
	'sorted([n["count"], n["function"]] for n in t["nodes"]
		if n["kind"] == "entry" and 0 < n["count"] < 3000)' |
	tr -d "[],'" | tr ' ' '\n' | paste - - | tail -n 3 | cut -f2)
is "${#functions[@]}" 3 'python3: at least three functions of the glob were called'
for function in "${functions[@]}"; do
	is "$(json "entry('$function')['count']")" \
		"$(gdb_count "*$function" /usr/bin/python3 -S -c "$work")" \
		"python3: $function, as many as gdb"
done

# ---- perl ----
# shellcheck disable=SC2016 # it is perl's
same Perl_sv_setiv Perl_sv_setiv perl perl -e \
	'my %h; $h{$_ % 7} += length($_) for 1 .. 500; print join(" ", map { "$_=$h{$_}" } sort keys %h), "\n"'

# ---- sort: threads, and a stripped program ----
seq 300 | sort -R --random-source=/bin/sh >numbers
same strcoll@libc.so.6 strcoll sort env LC_ALL=C.UTF-8 sort -d numbers

# ---- git: no symbols of its own, children, libraries ----
git init -q repository
for i in 1 2 3; do
	echo "$i" >repository/file
	git -C repository add file
	git -C repository -c user.name=n -c user.email=e@example.org \
		commit -q -m "commit $i"
done
same inflate@libz.so.1 inflate git git -C repository --no-pager log -p

# ---- from one function's exit to another's entry ----
batch 'break exit sqlite3_step@libsqlite3.so.0' \
	'break entry sqlite3_finalize@libsqlite3.so.0' 'add leg 1 2' \
	-- sqlite3 :memory: '.read script.sql'
is "$(json 'kept()')" True 'exit to entry: nothing disappears'
ok 'exit to entry: each of some thousand statements' \
	[ "$(json 'leg(0)["count"]')" -gt 2000 ]
done_testing
