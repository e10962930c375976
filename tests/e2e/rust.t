#!/usr/bin/env bash
# Elements of Rust's vectors, which gdb does not show.
# tier: core
# covers: expr/containers expr/print
# shellcheck disable=SC2016 # dollars and backticks are the language's
. "$(dirname "$0")/../lib.sh"

# rustup keeps the compilers in the home directory of the user, and $HOME is
# another directory here
own=$(getent passwd "$(id -u)" | cut -d: -f6)/.rustup
[ -d "$own" ] && export RUSTUP_HOME=${RUSTUP_HOME:-$own}
if ! rustc --version >/dev/null 2>&1; then
	echo "1..0 # SKIP there is no rustc"
	exit 0
fi

cat >vectors.rs <<'END'
// (std::hint::black_box is not in all compilers that there are)
#[inline(never)]
fn black_box<T>(value: T) { unsafe { std::ptr::read_volatile(&(&value as *const T)); } }
pub struct Point {
    pub x: i32,
    pub y: i64,
}

#[inline(never)]
fn look(v: &Vec<i32>, points: Vec<Point>, n: i32, names: &mut Vec<String>) -> i32 {
    let own = vec![1.5f64, 2.5];
    let nested = vec![vec![1u8, 2], vec![3u8]];
    let refs: Vec<&Point> = points.iter().collect();
    black_box((&v, &points, &names, &own, &nested, &refs));
    n + v[1]
}

fn main() {
    let v = vec![10, 20, 30];
    let points = vec![Point { x: 1, y: 2 }, Point { x: 3, y: 4 }];
    let mut names = vec![String::from("ab"), String::from("cd")];
    std::process::exit(look(&v, points, -5, &mut names));
}
END
rustc -g -Copt-level=0 -o vectors vectors.rs

cat >script <<'END'
break vectors.rs:14
run
evaluate v[1]
evaluate v[n as usize + 7]
evaluate points[1].y
evaluate points[1]
evaluate own[1] * 2.0
evaluate nested[0][1] as u64 + 1
evaluate refs[1].x
evaluate names[1]
evaluate names[1] == "cd"
kill
END
try perftool -q -n -x script ./vectors
is "$(grep -v -e '^Breakpoint' -e '^ ' <<<"$out" | tail -n 9)" "20
30
4
vectors::Point {x: 3, y: 4}
5
3
3
\"cd\"
true" "evaluate prints elements of vectors, references and strings"

try perftool -q -n -b -e 'break vectors.rs:14 if v[1] == 20 && names[0] == "ab"' \
	-f json -o tables.json ./vectors
is "$(grep -o '"count": [0-9]*' tables.json | head -n 1)" '"count": 1' \
	"a condition compares elements of vectors and strings"

# ---- tail calls ----

cat >tails.rs <<'END'
use std::time::{Duration, Instant};
static mut SHORTEST: u128 = u128::MAX;
#[inline(never)]
pub fn inner(n: u64) -> u64 {
    let start = Instant::now();
    std::thread::sleep(Duration::from_millis(1));
    unsafe { SHORTEST = SHORTEST.min(start.elapsed().as_nanos()); }
    n + 1
}
#[inline(never)]
pub fn outer(n: u64) -> u64 { inner(2 * n) }
fn main() {
    let mut sum = 0;
    for i in 0..10 { sum += outer(i) + inner(i); }
    println!("shortest {}\nsum {}", unsafe { SHORTEST }, sum);
}
END
rustc -g -Copt-level=3 -Ccodegen-units=1 -o tails tails.rs 2>log
for MECHANISM in int3 fast; do
	# A calibrated cost is a mean, and on a busy machine some breaks cost
	# far less.
	batch 'set compensation off' 'time tails::outer' -- ./tails
	is "$(json 'leg(0)["count"], node(1)["count"], node(2)["count"]')" \
		'10 10 10' "$MECHANISM: tail calls in Rust are counted"
	ok "$MECHANISM: the time of a tail call lasts until its frame returns" [ "$(json \
		"leg(0)['min_ns'] >= 0.99 * $(own shortest)")" = True ]
done

done_testing
