#!/usr/bin/env bash
# Input of the user is limited. The tool refuses a line that is too long or
# nested too deeply, at once and with one line.
# tier: full
# covers: expr/syntax command debuginfo/symbols
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/values
LIMIT=20

# repeat COUNT TEXT: prints TEXT so many times
repeat() {
	/usr/bin/python3 -c 'import sys; print(int(sys.argv[1]) * sys.argv[2], end="")' "$@"
}

# refused REGEX NAME FRONT MIDDLE BACK COUNT: FRONT and BACK are written COUNT
# times
refused() {
	{
		echo "$3$(repeat "$7" "$4")$5$(repeat "$7" "$6")"
	} >script.pt
	fails_with 125 "^script\\.pt:1: .*$1" "$2: an error with file and line" \
		perftool -q -n -x script.pt "$program"
	ok "$2: the message is not too long to read" \
		[ "$(wc -c <"$SCRATCH/err")" -lt 1200 ]
}

# ---- expressions ----
refused "'\\[' cannot be used" 'subscripts of a number' 'evaluate ' '' 1 '[0]' 100
refused 'nosuch' 'subscripts of an unknown name' 'evaluate ' '' nosuch '[0]' 100
refused 'levels deep' 'many parentheses' 'evaluate ' '(' 1 ')' 5000
refused 'levels deep' 'many casts' 'evaluate ' '(int)' 1 '' 5000
refused 'levels deep' 'many unary operators' 'evaluate ' '- ' 1 '' 5000
refused 'levels deep' 'many sizeofs' 'evaluate ' 'sizeof ' 1 '' 5000
refused 'levels deep' 'many ?: in each other' 'evaluate ' '1?' 1 ':1' 5000
refused 'levels deep' 'many subscripts in each other' 'evaluate ' 'limit[' 1 ']' 5000
refused 'operators deep' 'a long sum' 'evaluate ' '1+' 1 '' 20000
refused "too many '\\*'" 'a pointer to a pointer to ...' 'evaluate (int' '*' ')1' '' 5000
refused 'nosuch' 'many casts that may be differences' 'evaluate ' '(nosuch)-' 1 '' 150

# ---- lines ----
refused 'unknown command' 'a long word' '' x '' '' 60000
refused 'too long: .* 65536 bytes' 'a line that is too long' '' x '' '' 70000
fails_with 125 '^/dev/zero:1: .* 65536 bytes' 'a script without line ends is an error' \
	perftool -q -n -x /dev/zero "$program"
fails_with 125 '65536 bytes' 'a line of -e that is too long is an error' \
	perftool -q -n -e "evaluate $(repeat 70000 1)" "$program"

# ---- names ----
for name in 'a<' 'a(' 'a::' 'operator<' '~' '*a' '[a' 'f [clone '; do
	echo "break $(repeat 5000 "$name")" >script.pt
	try perftool -q -n -x script.pt "$PROGRAMS/exceptions"
	ok "a long name of $name: the tool neither crashes nor hangs" [ "$status" -le 125 -a "$status" != 124 ]
done
done_testing
