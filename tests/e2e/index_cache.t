#!/usr/bin/env bash
# The index of large debug information is kept for the next start, where the
# environment says, and what perftool answers does not depend on it.
# tier: full
# covers: debuginfo/index
. "$(dirname "$0")/../lib.sh"

# A program with more than 1 MB of .debug_info: many units of the same source,
# each with functions that are inlined into others.
{
	for ((i = 0; i < 400; i++)); do
		cat <<-C
			struct type$i { int first, second; struct type$i *next; };
			static volatile int variable$i = $i;
			static inline __attribute__((always_inline)) int inlined$i(struct type$i *p)
			{ int sum = p->first + variable$i; return sum * $i + p->second; }
			__attribute__((used)) static int function$i(struct type$i *p)
			{ return inlined$i(p) + inlined$i(p->next); }
		C
	done
} >unit.c
cat >main.c <<'C'
struct node { int first, second; struct node *next; };
__attribute__((noipa)) static int work(struct node *p) { return p->first; }
int main(void)
{
	struct node node = {1, 2, &node};
	return work(&node) - 1;
}
C
gcc -g -O1 -w -c unit.c && gcc -g -O0 -w -c main.c &&
	yes unit.o | head -n 20 | xargs gcc -Wl,--build-id -o plain main.o &&
	objcopy --compress-debug-sections=zlib plain packed
id=$(readelf -n packed | sed -n 's/.*Build ID: //p')
cache=$HOME/.cache/perftool

# answers PROGRAM [OPTION...]: prints where names and lines are
answers() {
	local program=$1
	shift
	perftool -n -b "$@" -e 'break inlined7' -e 'break inlined399' \
		-e 'break work if ((struct type5 *) p)->second == variable2' \
		-e 'break unit.c:6' -e 'list breaks' -e 'run' -e 'print p->second' \
		-e 'kill' "./$program" 2>&1
}

# inode: prints the number of the file in the cache
inode() {
	stat -c %i "$cache/$id.index" 2>&1
}

for program in packed plain; do
	rm -rf "$HOME/.cache"
	answers "$program" -e 'set index-cache off' >"$program.right"
	like "$(cat "$program.right")" '#1: inlined7, 40 places.*Breakpoint 3, work .*[[:space:]]2[[:space:]]' \
		"$program: inlined copies, types and variables are found"
	ok "$program: off: nothing is kept" [ ! -e "$HOME/.cache" ]
	answers "$program" >first
	is "$(cat first)" "$(cat "$program.right")" "$program: the answers while the index is kept"
	is "$(stat -c '%a %n' "$cache/$id"*)" "600 $cache/$id.index" \
		"$program: one file is there, by its build id, for the user alone"
	before=$(inode)
	answers "$program" >second
	is "$(cat second)" "$(cat "$program.right")" "$program: the answers from the file"
	is "$(inode)" "$before" "$program: the file was used"
	head -c 100000 "$cache/$id.index" >short && cat short >"$cache/$id.index"
	answers "$program" >third
	is "$(cat third)" "$(cat "$program.right")" "$program: the answers when the file is too short"
	ok "$program: the file was written again" \
		[ "$(stat -c %s "$cache/$id.index")" -gt 100000 ]
done

# where the environment says
rm -rf "$HOME/.cache"
XDG_CACHE_HOME=$PWD/other answers packed >third
is "$(cat third)" "$(cat packed.right)" 'XDG_CACHE_HOME: the answers are the same'
ok 'XDG_CACHE_HOME: the file is there' [ -e "other/perftool/$id.index" ]
ok 'XDG_CACHE_HOME: and not at home' [ ! -e "$HOME/.cache" ]
(unset HOME && answers packed) >third
is "$(cat third)" "$(cat packed.right)" 'without HOME the answers are the same'
HOME=/dev/null answers packed >third
is "$(cat third)" "$(cat packed.right)" 'where HOME is no directory, too'

# the setting
try perftool -n -b -e 'show index-cache' -e 'set index-cache off' \
	-e 'show index-cache'
is "$(awk '{ print $1, $2 }' <<<"$out")" $'index-cache on\nindex-cache off' \
	'show index-cache'

done_testing
