#!/usr/bin/env bash
# Lab 05: the solution is right, and the checker says of wrong reports what
# is missing.
# tier: full
# covers: samples/labs/05-recursion samples/labs/checking
# shellcheck disable=SC2016 # perftool's expressions
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../labs.sh
. "$ROOT/tests/labs.sh"

# ---- 05: recursion --------------------------------------------------------------

lab 05 formula
solve
gdb_agrees own power
no_tables
PROFILE="profile functions '*'"
WHOLE='add leg entry evaluate exit evaluate match=outermost name=whole'
OWN='add leg entry power return power name=own'
measured 'time evaluate' "$WHOLE" "$OWN"
wrong 'has no profile of functions' 'no profile'
measured 'profile functions power' 'time evaluate' "$WHOLE" "$OWN"
wrong 'no row for evaluate\(\)' 'a profile of one function'
measured "$PROFILE" "$WHOLE" "$OWN"
wrong 'No leg times the calls of evaluate\(\) with match=nested' 'no leg of every call'
measured "$PROFILE" 'time evaluate' "$OWN"
wrong 'No leg is named .whole' 'no leg of the outermost calls'
measured "$PROFILE" 'time evaluate' "${WHOLE/outermost/first}" "$OWN"
wrong '.whole. has match=first' 'a leg that ends at the first exit'
measured "$PROFILE" 'time evaluate' 'add leg entry evaluate exit evaluate name=whole' "$OWN"
wrong '.whole. has match=last' 'a leg from the last entry'
measured "$PROFILE" 'time evaluate' 'add leg entry evaluate return evaluate match=outermost name=whole' "$OWN"
wrong '.whole. has match=nested' 'a name for the leg of every call'
measured "$PROFILE" 'time evaluate' 'add leg entry main exit main match=outermost name=whole' "$OWN"
wrong '.whole. leads from the entry of main' 'all of the program'
measured "$PROFILE" 'time evaluate' "$WHOLE" 'add leg entry multiply return multiply name=own'
wrong '.own. times multiply\(\)\. Another function' 'a function with a large total'
measured "$PROFILE" 'time evaluate' "$WHOLE" \
	'add leg entry evaluate exit evaluate match=nested name=own'
wrong 'No leg is named .whole|.own. times evaluate' 'the function with the largest total'
measured "$PROFILE" 'time evaluate' "$WHOLE" 'add leg entry random_below return random_below name=own'
wrong '.own. leads from the entry of random_below' 'a function beside the formula'
measured "$PROFILE" 'time evaluate' "$WHOLE" 'add leg evaluate power name=own'
wrong '.own. leads from the entry of evaluate\(\) to the entry of power\(\)' 'a leg to the function'
measured "$PROFILE" 'time evaluate if x < 50' "$WHOLE" "$OWN"
wrong 'not the number of calls of evaluate\(\)\. A condition' 'a condition leaves out calls'
measured 'time evaluate' "$WHOLE" "$OWN" "$PROFILE" run run 'save tables t.json'
wrong 'Did the program run 2 times' 'two runs in one report'
edited 't["functions"]["functions"][2]["calls"] //= 2' \
	'for f in t["functions"]["functions"]: f["calls"] //= 2'
wrong 'right number of calls of evaluate' 'an edited profile'

done_testing
