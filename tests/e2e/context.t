#!/usr/bin/env bash
# Where names are looked up: `set module context' and `set root configuration'.
# The program has a function `work' in each of three places, and says how often
# each was called.
# tier: full
# covers: session/names command/families
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"

# ---- a program of many modules --------------------------------------------

# module FILE CALLS OTHER: writes a file with a function `work', which OTHER
# calls so many times
module() {
	cat >"$1" <<-END
		static volatile int done;

		static __attribute__((noinline)) int work(int i)
		{
			done += i;
			return done;
		}

		void $3(void)
		{
			for (int i = 0; i < $2; i++)
				work(i);
		}
	END
}
mkdir deep
module Red.c 3 red
module blue.c 5 blue
module blue.h 0 none
module deep/blue.c 11 deep_blue
module green.c 7 green
{
	echo
	cat green.c
} >lines.c && mv lines.c green.c
cat >main.c <<'END'
void red(void), blue(void), deep_blue(void), green(void);

int main(void)
{
	red();
	blue();
	deep_blue();
	green();
}
END
gcc -g -O1 -fPIC -shared green.c -o libgreen.so
gcc -g -O1 main.c Red.c blue.c deep/blue.c -o many -L. -lgreen "-Wl,-rpath,$PWD"
work='break entry work if 1'

# counts COMMAND...: prints how often the first node was hit, and how many
# places it has
counts() {
	batch "$@" -- ./many
	json '(node(1)["count"], len(node(1)["addresses"]))'
}

is "$(counts "$work")" '26 4' 'without a context, a name means all functions of that name'
is "$(counts 'set module context blue.c' "$work")" '16 2' 'a context that is a source file counts functions of such files'
is "$(counts 'set module context deep/blue.c' "$work")" '11 1' 'a context can be a source file with its directory'
is "$(counts 'SEt Module context: Red' "$work")" '3 1' 'a context can be a source file without its suffix'
is "$(counts 'set module context RED' "$work")" '3 1' 'the case of letters in a context does not matter'
is "$(counts 'set module context Red' 'set module context none' "$work")" '26 4' 'set module context none removes the context'
is "$(counts 'set module context Red' 'set mo c' "$work")" '26 4' 'set module context without a name removes the context'
is "$(counts 'set module context Red' 'SEt Root configuration: many' "$work")" '26 4' \
	'set root configuration removes the context'
is "$(counts 'set module context Red' "break entry 'blue.c:work' if 1")" '16 2' \
	'a file in the place comes before the context'
is "$(counts 'set module context Red' 'break entry blue if 1')" '1 1' \
	'a function that the context lacks is looked up elsewhere'
batch 'break main' run 'set module context libgreen.so' "$work" 'monitor on' continue \
	'save tables t.json' -- ./many
is "$(json '(node(2)["count"], node(2)["module"])')" '7 libgreen.so' 'a context can be a loaded library'
batch 'set module context Red' "$work" 'set module context blue' 'break main' run \
	'monitor on' continue 'save tables t.json' -- ./many
is "$(json 'node(1)["count"]')" 3 'a new context does not move a breakpoint'
batch 'break main' run 'set module context libgreen' 'time work' continue \
	'save tables t.json' -- ./many
is "$(json '(leg(0)["count"], leg(0)["name"])')" '7 work' 'time looks up names in the context'
batch 'set module context Red' "$work" 'add leg work red' 'monitor on' -- ./many
is "$(json '(t["legs"][0]["from"], t["legs"][0]["to"], node(2)["count"], len(t["nodes"]))')" \
	'1 2 1 2' 'the places of a leg are those of the context'
batch 'set module context Red' 'time w*' 'set module context none' 'time blue' -- ./many
is "$(json '[x["count"] for x in t["legs"]]')" '3 1' 'time looks up a pattern in the context'

# ---- the output of the commands ---------------------------------------------

show() {
	local commands=()
	for command; do
		commands+=(-e "$command")
	done
	try perftool -q -n -b "${commands[@]}" -e quit ./many
}
show 'set module context Red' 'list functions'
is "$(awk 'NR > 1 { print $3 }' <<<"$out" | paste -sd' ')" 'red work' \
	'list functions lists the functions of the context'
show 'set module context blue.h' 'show module'
like "$out$err" 'no source file or loaded library .blue.h. in many; did you mean blue.c\?' \
	'a file without code cannot be the context'
show 'set module context Red' 'break 5' 'list breaks'
like "$out" 'Red.c:5' 'a line number alone is a line of the context'
# how far the second instruction of a function is from its begin
second=$(objdump -d many | awk '/<work>:$/ { begin = 1; next }
	begin { sub(":", "", $1); print "0x" $1; if (begin++ == 2) exit }' | paste -sd' ')
second=$((${second#* } - ${second% *}))
show 'set module context Red' 'break *work' "break work+$second" 'list breaks'
like "$out" "Red.c:work\\+0.*Red.c:work\\+$second" 'FUNCTION+N and *FUNCTION are looked up in the context'
unlike "$out" 'blue.c' 'FUNCTION+N and *FUNCTION are not looked up in other files'
show 'set module context Red' 'list source work'
like "$out" 'static __attribute__.*int work' 'list source shows the function of the context'
unlike "$out" '	void blue' 'list source shows no function of another file'
show 'set module context Red' 'show module' 'file ./many' 'show module'
is "$(grep -c '^module  *Red.c$' <<<"$out")$(grep -c '^module  *none$' <<<"$out")" 11 \
	'loading a program with the command file removes the context'

# ---- wrong commands ---------------------------------------------------------

# refuses COMMAND REGEX: the command fails as an option, in a script and in a
# pipe
refuses() {
	fails_with 125 "-e .*: $2" "$1: fails as an option" perftool -n -b -e "$1" ./many
	printf '%s\n' '# a script' "$1" >script.pt
	fails_with 125 "^script.pt:2: $2" "$1: fails in a script" perftool -n -b -x script.pt ./many
	try perftool -n ./many <script.pt
	is "$status" 125 "$1: status 125 in a pipe"
	like "$err" "^standard input:2: $2" "$1: the reason is given in a pipe"
}
nothing='no source file or loaded library'
refuses 'set module context Blu' "$nothing .Blu' in many; did you mean blue.c\\?"
refuses 'set module context 12' "$nothing .12' in many \\(.run' loads the libraries"
refuses 'set module context libgreen.so' "$nothing .libgreen.so'"
refuses 'set module context "Red now"' "$nothing .Red now'"
refuses 'set module context *' "$nothing .\\*'"
refuses 'set module context Red now' "unexpected .now'; usage: set module context"
refuses 'set module Red' "unexpected .Red'; usage"
refuses 'set module' 'an argument is missing; usage: set module context'
refuses 'set root configuration Mesa' "the program is many, not .Mesa'"
refuses 'set root configuration' "the program's name is missing"
refuses 'SEt Root configuration:' 'an argument is missing'
refuses 'set root configuration many more' "unexpected .more'"
refuses 'set m context Red' '.m. is ambiguous: set match, set mechanism, set module'
mv deep/blue.c deep/BLUE.c
gcc -g -O1 main.c Red.c blue.c deep/BLUE.c -o many -L. -lgreen "-Wl,-rpath,$PWD"
refuses 'set module context Blue' ".Blue. is ambiguous: (blue.c, BLUE.c|BLUE.c, blue.c)"
fails_with 125 'no program' 'set module context fails without a program' \
	perftool -n -b -e 'set module context Red'
fails_with 125 'no program' 'set root configuration fails without a program' \
	perftool -n -b -e 'set root configuration many'
strip many
refuses 'set module context Red' "$nothing .Red' in many"

# ---- at a terminal ----------------------------------------------------------

gcc -g -O1 main.c Red.c blue.c deep/BLUE.c -o many -L. -lgreen "-Wl,-rpath,$PWD"
new_terminal "perftool -n ./many; echo over; exec cat"
wait_for 20 shows 'perftool>'
keys -l 'set module context Re'
keys Tab
expect 'context Red\.c' 'Tab completes a source file'
keys Enter
expect 'looked up in Red.c first' 'the completed source file becomes the context'
keys -l 'SEt Root configuration: ma'
keys Tab
expect 'configuration: many' 'Tab completes the program'
keys Enter
expect 'looked up in the program and its libraries' 'set root configuration says where names are looked up'
enter 'set module context Rad'
expect 'did you mean Red.c\?' 'a misspelt context gets a suggestion'
enter 'SEt Root configuration:'
expect 'configuration: *$' 'set root configuration without a name asks for the program'
keys -l 'Mesa'
keys Enter
expect "the program is many, not .Mesa'" 'a program other than the loaded one is refused'
enter 'show module'
expect 'module  *none' 'after refused commands, there is still no context'
enter 'quit'
expect over 'quit ends the tool'
done_testing
