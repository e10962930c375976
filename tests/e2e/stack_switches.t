#!/usr/bin/env bash
# Stacks of Go programs, where the thread has changed from one stack to another:
# C code that Go code calls, Go code that this C code calls, and the runtime's
# own functions.
# tier: full
# covers: sample debuginfo/frames
. "$(dirname "$0")/../lib.sh"

export GOCACHE=$SCRATCH/cache GO111MODULE=off GOTOOLCHAIN=local
mkdir -p program
cat >program/main.go <<'END'
package main

/*
#include <stdlib.h>
int in_go(int);
__attribute__((noinline)) static int in_c(int n) {
	int (*volatile go)(int) = in_go;
	return go(n) + 1;
}
*/
import "C"

//go:noinline
func innermost(n int) int { return n + 1 }

//export in_go
func in_go(n C.int) C.int {
	if n > 0 {
		return C.int(outer(int(n) - 1))
	}
	return C.int(innermost(int(n)))
}

//go:noinline
func outer(n int) int { return int(C.in_c(C.int(n))) + 1 }

//go:noinline
func deep(n int) int {
	var filler [64]int

	filler[n%64] = n
	if n == 0 {
		return 1
	}
	return deep(n-1) + filler[(n+1)%64]
}

//go:noinline
func grows(done chan int) { done <- deep(300) }

func main() {
	outer(2)
	done := make(chan int)
	go grows(done)
	<-done
}
END
if ! CGO_ENABLED=1 go build -o switches ./program 2>build.log; then
	fail 'the Go program compiles' "$(cat build.log)"
	done_testing
fi
CGO_ENABLED=1 go build -ldflags=-w -o bare ./program

# stack FUNC PATTERN: the names in a stack of which FUNC is the innermost frame,
# those that match, without the parts of a name that Go adds
stack() {
	/usr/bin/python3 - "$1" "$2" <<'END'
import json, re, sys
innermost, pattern = sys.argv[1:]
stacks = [[re.sub(r'\.abi0$', '', f['function'])
           for f in s['stack']] for s in json.load(open('x.json'))['samples']]
stacks = [s for s in stacks if s[0] == innermost]
longest = max(stacks, key=len) if stacks else []
print(' '.join(f for f in longest if re.search(pattern, f)))
END
}

for program in switches bare; do
	try perftool -q -n -b -e 'spy watch breaks' \
		-e 'spy break main.innermost' -e 'spy break runtime.copystack' \
		-e 'spy on' -e run -e 'spy display > d.txt' \
		-e 'save profile x.json' "./$program"
	is "$status" 0 "$program: the program is as without the Spy"
	once='main.in_go in_c main._Cfunc_in_c main.outer'
	is "$(stack main.innermost \
		'^(main.(innermost|in_go|_Cfunc_in_c|outer|main)|in_c|runtime.goexit)$')" \
		"main.innermost $once $once $once main.main runtime.goexit" \
		"$program: C code and the Go code that it calls are in one stack"
	ok "$program: nothing else is behind a change of the stack" \
		[ -z "$(stack main.innermost 'no file|0x')" ]
	like "$(stack runtime.copystack '^(main|runtime.(morestack|goexit))')" \
		'^runtime.morestack (main.deep )+main.grows ([^ ]+ )?runtime.goexit$' \
		"$program: the function whose stack grows is below the runtime's"
	is "$(/usr/bin/python3 -c 'import json
print(json.load(open("x.json"))["measurement"]["broken"])')" 0 \
		"$program: no stack is broken"
done
done_testing
