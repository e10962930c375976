#!/usr/bin/env bash
# The lab on lost mappings: the solutions are right, and the checker says of wrong
# reports what is missing.
# tier: full
# covers: samples/labs/09-lost-mappings samples/labs/checking
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../labs.sh
. "$ROOT/tests/labs.sh"

# ---- 09: lost mappings --------------------------------------------------

lab 09 album
solve
no_tables
lost='break entry square if picture->width == picture->height'
measured "$lost" 'break return square if 1' 'add leg 1 2 name=leak'
wrong 'nothing of the Spy' 'the Spy was off'
measured 'spy watch cpu' 'spy on' "$lost" 'break return square if 1' 'add leg 1 2 name=leak'
wrong 'The Spy has watched .cpu.*spy watch spaces' 'the Spy has watched something else'
measured 'spy watch spaces' 'spy on' 'time square'
wrong 'No leg is named .leak' 'the answer is missing'
measured 'spy watch spaces' 'spy on' 'add leg entry square return square name=leak'
wrong '.leak. has 400 executions, and 48 mappings are lost' 'all calls'
measured 'spy watch spaces' 'spy on' 'break entry square if picture->width != picture->height' \
	'break return square if 1' 'add leg 1 2 name=leak'
wrong '.leak. has 352 executions, and 48' 'the calls that lose nothing'
measured 'spy watch spaces' 'spy on' 'add leg entry keep return keep name=leak'
wrong '.leak. is in keep\(\).*keeps for a purpose' 'what keeps a few for a while'
measured 'spy watch spaces' 'spy on' 'add leg entry rotate return rotate name=leak'
wrong '.leak. is in rotate\(\).*column left' 'what makes the most mappings'
measured 'spy watch spaces' 'spy on' 'add leg entry make_pixels return make_pixels name=leak'
wrong '.leak. leads from the entry of make_pixels\(\).*that main\(\) calls' 'what all mappings have in common'
measured 'spy watch spaces' 'spy on' 'add leg entry crop entry square name=leak'
wrong '.leak. leads from the entry of crop\(\) to the entry of square' 'from one function to the next'
measured 'spy watch spaces' 'spy on' 'spy off' "$lost" 'break return square if 1' 'add leg 1 2 name=leak'
wrong 'not seen the mappings of the whole run' 'the Spy was turned off'
measured 'spy watch spaces' 'spy start keep' 'spy starts on' "$lost" \
	'break return square if 1' 'add leg 1 2 name=leak'
wrong 'not seen the mappings of the whole run|executions, and' 'the Spy was turned on late'
edited 't["spy"]["samples"] = [s for s in t["spy"]["samples"] if s["reason"] == "created"]'
wrong '.leak. has 48 executions, and 400 mappings' 'an edited profile'
edited 't["spy"]["samples"][0]["stack"] = 5'
wrong 'not what perftool has written' 'a profile of another form'
measured 'spy watch spaces' 'spy on' 'time square if picture->width == picture->height' \
	'add leg 1 2 name=leak'
right t.json 'lab 09: a condition of time is right, too'

done_testing
