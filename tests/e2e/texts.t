#!/usr/bin/env bash
# Strings that are objects of C++ or Rust: compared with literals, printed, and
# as the expression of a split. And values at an exit or in a caller when the
# program stops there.
# tier: core
# covers: expr/bind expr/evaluate expr/print expr/label
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"

# rows OWNER: prints "value:count" of each row of the split
rows() {
	json "sorted(f\"{v['value']}:{v['count']}\" for v in $1['by']['values'])"
}

# nodes: prints "number:count:errors" of each node that was reached
nodes() {
	json '["%d:%d:%d" % (n["id"], n["count"], n["errors"])
		for n in t["nodes"]]'
}

# evaluated PROGRAM LOC EXPR...: prints the value of each expression at the
# first stop at LOC
evaluated() {
	local program=$1 place=$2

	shift 2
	printf '%s\n' "break $place" run "${@/#/evaluate }" kill |
		perftool -n -q "$program" 2>&1
}

cat >strings.cc <<'END'
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

struct Order {
	std::string who;
	std::vector<int> items;
};

static int total;

__attribute__((noinline)) int serve(const std::string &name, Order order,
				    std::string_view view)
{
	total += (int)(name.size() + order.items.size() + view.size());
	return total;
}

__attribute__((noinline)) Order *pick(Order *orders, int n)
{
	return n % 2 ? orders : nullptr;
}

int main()
{
	static const char *const names[] = {
		"two", "one", "two", "three", "two", "one",
		"a name that is too long to be kept in the object itself"};
	Order orders[] = {{"me", {1, 2, 3}}};

	for (int i = 0; i < 21; i++) {
		std::string name = names[i % 7];

		serve(name, Order{name + "!", {1, 2}}, name);
		total += pick(orders, i) != nullptr;
	}
	std::printf("total %d\n", total);
	return 0;
}
END
for how in '-O0' '-O2' '-O2 -gdwarf-4'; do
	# shellcheck disable=SC2086 # two words are two flags
	g++ -std=c++17 -g $how strings.cc -o strings || fail "compiled with $how"
	batch 'break serve if name == "two"' 'break serve if name != "one"' \
		'break serve if "three!" == order.who' \
		'break serve if view == "two"' \
		'break serve if name == "tw" || name == "twos"' \
		'break serve if name == "a name that is too long to be kept in the object itself"' \
		-- ./strings
	is "$(nodes)" '1:9:0 2:15:0 3:3:0 4:9:0 6:3:0' \
		"$how: conditions compare strings with literals"
	batch 'time serve by=name' -- ./strings
	is "$(rows 't["legs"][0]')" \
		'a name that is too long to be kept in the object itself:3 one:6 three:3 two:9' \
		"$how: a table is split by a string"
	is "$(evaluated ./strings serve order.who view order.who.size name)" \
		"$(printf '%s\n' '"two!"' '"two"')
standard input:5: column 11: no member 'size' in std::string" \
		"$how: evaluate prints strings; an unknown member is an error"
	is "$(evaluated ./strings serve name | sed 's/0x[0-9a-f]*/ADDRESS/')" \
		'(const std::string &) @ADDRESS: "two"' "$how: evaluate prints a reference to a string with its type"

	# the value that a function returns, with its type, at its exit
	is "$(printf '%s\n' 'break exit pick' run 'evaluate $ret' continue \
		'evaluate $ret' 'evaluate $ret->who' kill |
		perftool -n -q ./strings 2>&1 |
		sed 's/0x[0-9a-f]\{2,\}/ADDRESS/')" \
		'(Order *) 0x0
(Order *) ADDRESS
"me"' "$how: "'evaluate $ret prints the returned value with its type'
done

# ---- a structure cannot be a condition ----
for what in 'break serve if order' 'break serve if order.items' \
	'break serve if view' 'add leg 1 2 key=order'; do
	printf '%s\n' 'break entry serve if 1' 'break exit serve if 1' \
		"$what" | perftool -n -q ./strings >ours 2>&1
	like "$(cat ours)" 'is not a number|no variable' "a structure is refused as a number: $what"
done

# ---- Rust ----
gcc -no-pie "$ROOT/tests/programs/figures.s" -o figures
is "$(evaluated ./figures figures::Counter::look text self.name \
	'text == "one"' 'self.name != "one"' | tr '\n' ' ')" \
	'"one" "one" true false ' 'Rust: evaluate prints and compares strings'
batch 'break figures::Counter::look if text == "two"' \
	'break figures::Counter::look if self.last.0.x == 1' \
	'break figures::Counter::look if maybe.0 == 4' \
	'break figures::Counter::look if shape.Rect.w == 3' \
	'break figures::Counter::look if crate::deep::LIMIT == 30' \
	'split node 2 by=text' -- ./figures
is "$(nodes)" '1:2:0 2:3:0 3:3:0 4:0:3 5:3:0' \
	'Rust: conditions use fields and constants; a wrong variant is an error'
is "$(rows 'node(2)')" 'one:1 two:2' 'Rust: a table is split by a string'

# rustup keeps the compilers in the home directory of the user
RUSTUP_HOME=${RUSTUP_HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)/.rustup}
export RUSTUP_HOME
if ! rustc --version >/dev/null 2>&1; then
	diag <<<'no rustc: its library is not tried'
	done_testing
fi
cat >owned.rs <<'END'
// (Debian's rustc has none that is stable.)
fn black_box<T>(value: T) -> T {
    let copy = unsafe { std::ptr::read_volatile(&value) };
    std::mem::forget(value);
    copy
}

#[inline(never)]
fn serve(name: &String, boxed: Box<str>, items: &Vec<i32>) -> usize {
    black_box((name, &boxed, items)).0.len()
}

fn main() {
    let mut sum = 0;
    for i in 0..12 {
        let name = String::from(["get", "set", "get"][i % 3]);
        sum += serve(&name, name.clone().into_boxed_str(), &vec![1, 2, 3]);
    }
    println!("sum {}", sum);
}
END
for level in 0 2; do
	rustc -g -C opt-level=$level owned.rs -o owned || fail "compiled -O$level"
	batch 'break owned::serve if *name == "get"' 'time owned::serve by=*name' \
		-- ./owned
	is "$(json 'node(1)["count"], node(1)["errors"]')" '8 0' \
		"rustc $level: a condition compares a String"
	is "$(rows 't["legs"][0]')" 'get:8 set:4' "rustc $level: a table is split by a String"
	is "$(evaluated ./owned owned::serve '*name' 'name.vec.len' 'items.len' |
		tr '\n' ' ')" '"get" 3 3 ' "rustc $level: evaluate prints a String and its length"
done
done_testing
