#!/usr/bin/env bash
# Programs that were not written for these tests, unmodified: the counts are the
# same as gdb's.
# tier: core full
# covers: probe/fast probe/site debuginfo/symbols debuginfo/lines
# again: int3
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"

# same PLACE FUNCTION NAME COMMAND...: perftool counts what gdb counts
same() {
	local place=$1 function=$2 name=$3 wanted
	shift 3
	times "$place" -- "$@"
	is "$status" 0 "$name: the program ends with status 0"
	is "$(sha256sum <"$SCRATCH/out")" "$("$@" 2>/dev/null | sha256sum)" \
		"$name: the output is as without perftool"
	wanted=$(gdb_count "$function" "$@")
	ok "$name: gdb counts some calls" [ "$wanted" -gt 0 ]
	is "$(json "entry('$function')['count']")" "$wanted" \
		"$name: perftool counts as many calls as gdb ($wanted)"
	is "$(json 'kept()')" True "$name: the counts of legs and nodes agree"
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
is "$status" 0 'python3: the program ends with status 0'
is "$out" '199 19900' 'python3: the output is as without perftool'
is "$(json 'kept()')" True 'python3: the counts of legs and nodes agree'
mapfile -t functions < <(json \
	'sorted([n["count"], n["function"]] for n in t["nodes"]
		if n["kind"] == "entry" and 0 < n["count"] < 3000)' |
	tr -d "[],'" | tr ' ' '\n' | paste - - | tail -n 3 | cut -f2)
is "${#functions[@]}" 3 'python3: at least three functions of the glob were called'
for function in $(sampled 1 "${functions[@]}"); do
	is "$(json "entry('$function')['count']")" \
		"$(gdb_count "*$function" /usr/bin/python3 -S -c "$work")" \
		"python3: perftool counts $function as often as gdb"
done

# ---- python3: a function for all Python code, by the name of the code ----
# The interpreter has no debug information here. In Python 3.11, the pointer to
# the code is 32 bytes into the frame, in later versions the frame begins with it.
# The code has a pointer to the name, 120 bytes from its begin on in Python 3.11,
# and the name is a string object, followed by its letters. Python itself says the
# last two. A call from C code reaches the function; a call from Python code does not.
cat >names.py <<'END'
import sys
counts = {}
def double(x): return x + x
def square(x): return double(x) * x
def count(n): yield from range(n)
def hook(frame, event, argument):
    name = frame.f_code.co_name
    if event == 'call': counts[name] = counts.get(name, 0) + 1
if len(sys.argv) > 1: sys.setprofile(hook)
total = sum(map(double, range(50))) + sum(map(square, range(30)))
total += len(sorted(range(20), key=lambda v: -v)) + sum(count(10))
if len(sys.argv) > 1:
    sys.setprofile(None)
    print(' '.join(f'{name}:{counts[name]}' for name in ('square', '<lambda>', 'count')))
END
read -r code name letters < <(/usr/bin/python3 -c '
import ctypes, sys
def called(): pass
code = called.__code__
words = ctypes.cast(id(code), ctypes.POINTER(ctypes.c_void_p))
print(32 if sys.version_info[:2] == (3, 11) else 0,
      [i * 8 for i in range(24) if words[i] == id(code.co_name)][0],
      sys.getsizeof("") - 1)')
batch 'time _PyEval_EvalFrameDefault by=(char*)(*(long*)(*(long*)($arg2+'"$code)+$name)+$letters) rows=100" \
	-- /usr/bin/python3 -S names.py
named() { # NAME: prints how many executions it had
	json "sum(v['count'] for v in leg(0)['by']['values'] if v['value'] == '$1')"
}
is "square:$(named square) <lambda>:$(named '<lambda>') count:$(named count)" \
	"$(/usr/bin/python3 -S names.py profile)" \
	'python3: the counts by name of code are those of sys.setprofile'
is "$(named double)" 50 'python3: a call from Python code is not counted by its own name'
is "$(json 'leg(0)["by"]["counted"] == leg(0)["count"]')" True \
	'python3: the rows of the split add up to the count of the leg'

# ---- apt: C++, patterns over demangled names, overloaded functions ----
apt=$(ldd "$(command -v apt-config)" | sed -n 's/^[[:space:]]*\(libapt-pkg[^ ]*\) .*/\1/p')
counts=()
times "Configuration::*@$apt" -- apt-config dump
is "$status" 0 'apt: the program ends with status 0'
is "$(sha256sum <"$SCRATCH/out")" "$(apt-config dump | sha256sum)" \
	'apt: the output is as without perftool'
is "$(json 'kept()')" True 'apt: the counts of legs and nodes agree'
ok 'apt: the pattern names more than 30 functions' [ "$(json 'len(t["legs"])')" -gt 30 ]
unlike "$err" '_Z' 'apt: names in messages are demangled'
# The test uses the linked names, because under the demangled name gdb would
# also count the stubs for the library's own calls.
library=$(ldd "$(command -v apt-config)" | sed -n "s/.*$apt => \([^ ]*\).*/\1/p")
nm -D --defined-only "$library" | cut -d' ' -f3 | sed 's/@.*//' >linked
paste linked <(c++filt -p <linked) | sed 's/\[abi:cxx11\]//' >names
for function in $(sampled 1 Configuration::Item::FullTag Configuration::CndSet \
	Configuration::~Configuration); do
	wanted=0
	while read -r linked; do
		wanted=$((wanted + $(gdb_count "$linked" apt-config dump)))
	done < <(awk -F'\t' -v name="$function" \
		'$2 == name && $1 !~ /[CD]2E/ { print $1 }' names)
	ok "apt: gdb counts calls of $function" [ "$wanted" -gt 0 ]
	is "$(json "sum(n['count'] for n in t['nodes'] if n['kind'] == 'entry' and
		n['function'].partition('(')[0].replace('[abi:cxx11]', '') ==
		'$function')")" "$wanted" "apt: perftool counts $function as often as gdb ($wanted)"
	counts+=("$function" "$wanted")
done
for ((i = 0; i < ${#counts[@]}; i += 2)); do
	batch "break entry ${counts[i]}@$apt if 1" -- apt-config dump
	is "$(json 'node(1)["count"]')" "${counts[i + 1]}" \
		"apt: one breakpoint counts all functions named ${counts[i]}"
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

# ---- a leg from the exit of a function to the entry of another ----
batch 'break exit sqlite3_step@libsqlite3.so.0' \
	'break entry sqlite3_finalize@libsqlite3.so.0' 'add leg 1 2' \
	-- sqlite3 :memory: '.read script.sql'
is "$(json 'kept()')" True 'exit to entry: the counts of legs and nodes agree'
ok 'exit to entry: the leg counts more than 2000 statements' \
	[ "$(json 'leg(0)["count"]')" -gt 2000 ]
done_testing
