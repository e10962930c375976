#!/usr/bin/env bash
# Lab 03: the solution is right, and the checker says of wrong reports what
# is missing.
# tier: full
# covers: samples/labs/03-where-is-the-time samples/labs/checking
# shellcheck disable=SC2016 # perftool's expressions
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../labs.sh
. "$ROOT/tests/labs.sh"

# ---- 03: where is the time ------------------------------------------------

lab 03 words
solve
gdb_agrees caller find_word
no_tables
HOT='add leg entry same_word return same_word name=hot'
CALLER='add leg entry find_word return find_word name=caller'
measured "$HOT" "$CALLER"
wrong 'has no ticks\. .profile on' 'no ticks'
batch 'profile on' "$HOT" "$CALLER" run 'save tables t.json' -- "$PROGRAM"
wrong 'has no ticks.*.save tables. leaves them out' 'tables that were saved without the ticks'
# Legs take CPU time, too; where all nodes are int3s, enough for many such ticks.
measured 'profile rate 100ms' 'profile on'
wrong 'too few to tell' 'too few ticks'
measured 'profile on' "$CALLER" 'add leg entry is_left_out return is_left_out name=hot'
wrong '.hot. leads from the entry of is_left_out\(\).*most ticks of its own' 'a function without much time'
measured 'profile on' 'add leg entry main return main name=hot' "$CALLER"
wrong '.hot. leads from the entry of main\(\)' 'the function that is always on the stack'
measured 'profile on' "${CALLER%caller}hot" "${HOT%hot}caller"
wrong '.hot. times find_word\(\)\. Most of that time is in a function that it calls.*.caller. leads from the entry of same_word' \
	'the two functions exchanged'
measured 'profile on' "$HOT" 'add leg entry is_left_out return is_left_out name=caller'
wrong '.caller. times is_left_out\(\)\..*at most six' 'the caller that makes few of the calls'
measured 'profile on' "$HOT"
wrong 'No leg is named .caller' 'no caller'
measured 'profile on' 'time same_word find_word'
wrong 'No leg is named .hot.*No leg is named .caller' 'legs that are not named'
measured 'profile on' "$HOT" 'break entry find_word if used < 2000' 'break exit find_word' \
	'add leg 3 4 name=caller'
wrong '.caller. has .* is not the number of calls of that function. A condition' \
	'a condition leaves out calls'
edited 't["flat"]["functions"] = [f for f in t["flat"]["functions"] if f["function"] != "same_word"]' \
	't["flat"]["functions"][0]["ticks"] += 50'
wrong 'not those of the function that needs the most time' 'ticks of another function'
edited 'del t["flat"]["functions"][0]["ticks"]'
wrong 'not what perftool has written: the field ticks is missing' 'a damaged profile'

done_testing
