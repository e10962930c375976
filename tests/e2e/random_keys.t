#!/usr/bin/env bash
# Random keys and signals at a prompt, with several terminals, locales and key maps, while
# the terminal changes its size: the tool lives, it still answers, it ends when it is told
# to, and it writes no file. An hour of it:
#   HOME=/tmp PATH=$PWD/build:$PATH tests/e2e/random_keys.py --time 3600
# tier: core full
# covers: ui/prompt ui/terminal
. "$(dirname "$0")/../lib.sh"
export PROGRAMS

number=0
for term in xterm vt100 dumb; do
	for locale in C C.UTF-8; do
		for map in emacs vi; do
			for situation in launch attach ctl; do
				number=$((number + 1))
				one_in 12 || continue
				is "$(within 120 /usr/bin/python3 "$ROOT/tests/e2e/random_keys.py" \
					$((SEED * 100 + number)) 600 $term $locale $map $situation)" \
					answered "random keys: $term, $locale, $map, $situation"
			done
		done
	done
done

# A child that vfork(2) has made stops first, and the tool could not stop with it.
if in_full; then
	is "$(within 120 /usr/bin/python3 "$ROOT/tests/e2e/random_keys.py" --suspend 60)" \
		'answered 60 times' 'Ctrl-Z while a pager starts does not stop the prompt for ever'
fi

# ---- a terminal that takes no output for a time ----
stuck() { # END COMMAND...
	within 60 /usr/bin/python3 "$ROOT/tests/e2e/stuck_prompt.py" "$@"
}
is "$(stuck quit perftool -q -n /bin/true)" 0 \
	'a signal while the terminal takes no output does not make the tool fail later'
is "$(stuck SIGTERM perftool -q -n /bin/true)" $((128 + 15)) \
	'SIGTERM ends a prompt whose terminal takes no output'
serve perftool serve -q -n "$PROGRAMS/server" 1
wait_for 20 pgrep -P "$server" >/dev/null
pid=$(pgrep -P "$server")
wait_for 20 perftool who >/dev/null
is "$(stuck quit perftool ctl "$pid")" 0 \
	'ctl: a signal while the terminal takes no output does not make the tool fail later'
is "$(stuck SIGTERM perftool ctl "$pid")" $((128 + 15)) \
	'ctl: SIGTERM ends a prompt whose terminal takes no output'
kill "$server"
wait "$server"
done_testing
