#!/usr/bin/env bash
# `perftool serve --http`: which requests are answered, and the live page in a
# headless Chromium, where one is installed. page.py tries them.
# tier: full
# covers: serve/http serve/http/page operations/samples web
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

export XDG_RUNTIME_DIR=$SCRATCH/run PYTHONPATH=$ROOT/tests
mkdir -m 700 "$XDG_RUNTIME_DIR"
program=$PROGRAMS/server

# served OPTION... -- PROGRAM ARG...: starts a server; sets $tool and $address
served() {
	rm -f told
	: >told
	serve perftool serve -q "$@" 2>told
	tool=$server
	wait_for 20 grep -q '^http:' told || fail 'no address was printed' "$(cat told)"
	address=$(grep '^http:' told)
}

# asks WORD [ARG...]: runs page.py; each line that it prints is a test. The line
# END of page.py ends the program.
asks() {
	local word=$1 line ended why
	shift
	address=$(perftool who | sed -n 's/^ *http:/http:/p')
	/usr/bin/python3 "$ROOT/tests/e2e/page.py" "$word" "$address" "$@" \
		>tried 2>&1
	ended=$?
	why=$(grep -E '^[A-Za-z]*(Error|Exception)' tried | tail -n 1)
	is $ended 0 "page.py $word comes to its end${why:+, without $why}"
	while IFS= read -r line; do
		case $line in
		'ok '*) pass "${line#ok }" ;;
		'not ok '*) fail "${line#not ok }" ;;
		*) diag <<<"$line" ;;
		esac
	done <tried
}

# ---- the option ----
fails_with 125 "--http: .70000. is not the number of a port" \
	'a port that cannot be' perftool serve --http=70000 "$program"
fails_with 125 '--http is for .perftool serve' \
	'only serve has a page' perftool --http "$program"

mkdir lib
echo >lib/libmicrohttpd.so.12
try env LD_LIBRARY_PATH="$PWD/lib" perftool serve -q -n --http -- /bin/echo ran
is "$status:$out" 125: 'without libmicrohttpd the program is not run'
like "$err" '^perftool: --http needs the library libmicrohttpd.so.12: install' \
	'and the message says what to install'

# ---- by HTTP ----
served -n --http -t work "$program" 2
is "$(grep -c . told)" 1 'one line on standard error, also with -q'
like "$address" '^http://127\.0\.0\.1:[0-9]+/\?token=[0-9a-f]{32}$' \
	'it is the address of the page'
port=${address#http://127.0.0.1:}
port=${port%%/*}
is "$(awk -v port="$(printf ':%04X' "$port")" '$4 == "0A" &&
	substr($2, length($2) - 4) == port { print $2 }' \
	/proc/net/tcp /proc/net/tcp6 2>/dev/null)" \
	"0100007F$(printf ':%04X' "$port")" 'it listens on 127.0.0.1 and nowhere else'
fails_with 125 "cannot serve the page at port $port of 127.0.0.1" \
	'a port that is in use' perftool serve -q -n --http="$port" -- /bin/echo ran
asks requests
first=$address
# A foreign user connects more often than there are connections, and keeps all
# of them open.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	asks foreign setpriv closed
	asks blind setpriv "$PWD/carried_out"
	end_tool TERM
	SUDO_UID=65534 served -n --http "$program" 2
	asks foreign setpriv 200
	end_tool TERM
	served -n --http="$port" "$program" 2
	first=$address
else
	pass 'foreign users # skip only root can be another user'
fi
end_tool TERM
served -n --http="$port" "$program" 2
like "$address" "^http://127\\.0\\.0\\.1:$port/" 'a port is chosen by its number'
ok 'the token is a new one' test "${first#*token=}" != "${address#*token=}"
end_tool TERM

# ---- a program that is held ----
served -n --http --wait-front-end -t work "$program" 2
# send METHOD: prints what the page's operation replies
send() {
	/usr/bin/python3 - "$address" "$1" <<-'END'
		import http.cookiejar, os, sys, urllib.request
		jar = http.cookiejar.LWPCookieJar("jar")
		opener = urllib.request.build_opener(
		    urllib.request.HTTPCookieProcessor(jar))
		if os.path.exists("jar"):
		    jar.load(ignore_discard=True)
		else:
		    opener.open(sys.argv[1])
		    jar.save(ignore_discard=True)
		print(opener.open(urllib.request.Request(
		    sys.argv[1].partition("?")[0] + "rpc", sys.argv[2].encode(),
		    {"Content-Type": "application/json"})).read().decode())
	END
}
like "$(send '{"jsonrpc":"2.0","id":1,"method":"who"}')" '"held":true' \
	'the page knows that the program waits'
send '{"jsonrpc":"2.0","id":1,"result":null}'
[ "$reply" = ready ] || hear
is "$reply" ready 'its answer to START lets the program begin'
like "$(send '{"jsonrpc":"2.0","id":1,"method":"who"}')" '"held":false' \
	'and the page knows it'
end_tool TERM

# ---- the end ----
# A program that ends by itself when it reads END.
# shellcheck disable=SC2016 # for the inner shell
ending='while read -r line; do [ "$line" = END ] && exit 3; done'
served -n --http -- bash -c "echo ready; $ending"
asks end
wait "$tool"
is $? 3 'the status is that of the program'

# ---- in Chromium ----
for chromium in chromium chromium-browser google-chrome ''; do
	command -v "$chromium" >/dev/null && break
done
if [ -z "$chromium" ]; then
	pass 'the page in a browser # skip no chromium is installed'
else
	served -n --http -t work "$program" 2
	asks browser "$(command -v "$chromium")" "$SCRATCH/chromium"
fi

done_testing
