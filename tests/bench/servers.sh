# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by run.sh: runtimes and servers under load, with what they count and
# time themselves beside.
#
# nginx: two workers that its master has forked before it is attached to. Go: a
# server whose requests are goroutines. A JVM: what its log of collections says.
# The load comes when perftool has its nodes and ends before it lets go.

servers_rounds=$((rounds < 3 ? rounds : 3))
servers_requests=20000

# servers_watch PID OPTION...: perftool, in $watcher, which measures by now
servers_watch() {
	local pid=$1
	shift
	: >"$scratch/said" # that of the one before says that it is ready
	"$tool" -n -b -f json -o "$scratch/servers.json" "$@" -p "$pid" \
		--for 100s </dev/null >"$scratch/said" 2>&1 &
	watcher=$!
	wait_for 20 servers_settled || die "servers: $(<"$scratch/said")"
}

# It tells of the leg, and then of how long that took.
# shellcheck disable=SC2317 # a condition of wait_for
servers_settled() {
	awk '/^Leg 0: / { last = 1 } last && /stood still/ { done = 1 }
		END { exit !done }' "$scratch/said" 2>"$scratch/messages"
}

servers_end() {
	kill -TERM "$watcher"
	wait "$watcher" || die "servers: $(tail -n 3 "$scratch/said")"
}

servers_leg() { # EXPRESSION: over the object, and the first leg
	/usr/bin/python3 - "$scratch/servers.json" "$1" <<-'END'
		import json, sys
		t = json.load(open(sys.argv[1]))
		leg = t["legs"][0]
		print(eval(sys.argv[2]))
	END
}

# servers_load KEY URL: what it was served a second
servers_load() {
	local served

	timeout 120 ab -q -k -n $servers_requests -c 10 "$2" \
		>"$scratch/load-said" 2>"$scratch/messages"
	served=$(sed -n 's/^\(Complete\|Failed\) requests: *//p' \
		"$scratch/load-said" | paste -sd' ')
	[ "$served" = "$servers_requests 0" ] ||
		die "servers: $1: not all requests were served: $served"
	record "$1" "$(sed -n 's/^Requests per second: *\([0-9.]*\).*/\1/p' \
		"$scratch/load-said")"
}

# ---- nginx ----

servers_port() { # one that is free
	/usr/bin/python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

measure_nginx() {
	local port nginx at=$scratch/nginx
	port=$(servers_port)
	mkdir -p "$at"
	cat >"$at/conf" <<-END
		daemon off; worker_processes 2; pid $at/pid; error_log $at/error;
		events { worker_connections 100; }
		http { access_log off; keepalive_requests 1000000;
			client_body_temp_path $at/a; proxy_temp_path $at/b;
			fastcgi_temp_path $at/c; uwsgi_temp_path $at/d;
			scgi_temp_path $at/e;
			server { listen 127.0.0.1:$port; return 200 hello; } }
	END
	nginx -c "$at/conf" -e "$at/error" >"$at/said" 2>&1 &
	nginx=$!
	wait_for 10 ab -q -n 1 "http://127.0.0.1:$port/" >"$at/said" 2>&1 ||
		die "nginx: $(tail -n 2 "$at/error")"
	servers_load nginx-before "http://127.0.0.1:$port/"
	servers_watch $nginx --children -e 'time ngx_http_process_request'
	servers_load nginx-fast "http://127.0.0.1:$port/"
	servers_end
	record nginx-missed "$(($(servers_leg 'leg["count"]') - servers_requests))"
	servers_load nginx-none "http://127.0.0.1:$port/"
	kill "$nginx"
	wait "$nginx"
}

# ---- a server in Go ----

measure_goserver() {
	local program=$build/bench/goserver address server before after

	[ -x "$program" ] || GO111MODULE=off go build -o "$program" \
		tests/bench/goserver.go 2>"$scratch/said" ||
		die "goserver: $(tail -n 3 "$scratch/said")"
	rm -f "$scratch/address"
	"$program" >"$scratch/address" &
	server=$!
	wait_for 10 test -s "$scratch/address" || die "goserver does not start"
	address=http://$(<"$scratch/address")
	servers_load goserver-before "$address/"
	before=$(servers_own "$address")
	servers_watch $server -e 'time main.work by=$g'
	servers_load goserver-fast "$address/"
	servers_end
	after=$(servers_own "$address")
	servers_load goserver-none "$address/"
	kill "$server"
	wait "$server" 2>/dev/null
	record goserver-missed "$(calc "$(servers_leg 'leg["count"]') - \
		(${after% *} - ${before% *})")"
	record goserver-goroutines "$(servers_leg \
		'leg["owner"] == "goroutine" and len(leg["by"]["values"])')"
	record goserver-mean "$(servers_leg 'leg["mean_ns"] / 1e3')"
	record goserver-own "$(calc "(${after#* } - ${before#* }) / \
		(${after% *} - ${before% *}) / 1e3")"
}

servers_own() { # ADDRESS: how many requests, and their nanoseconds
	ab -q -n 1 -v 4 "$1/count" 2>"$scratch/messages" |
		sed -n 's/^\([0-9]\{1,\} [0-9]\{1,\}\)\r*$/\1/p'
}

# ---- a JVM ----

measure_jvm() {
	local log=$scratch/gc.log heap=G1CollectedHeap young

	[ -f "$build/bench/Work.class" ] || javac -d "$build/bench" \
		tests/programs/runtimes/Work.java || die "javac fails"
	young=$heap::do_collection_pause_at_safepoint_helper
	echo 2000 | timeout 100 "$tool" -n -q -f json -o "$scratch/servers.json" \
		-t $young -t VM_G1CollectFull::doit -- \
		java -Xmx64m -XX:+UseG1GC "-Xlog:gc:file=$log" \
		-cp "$build/bench" Work >"$scratch/said" 2>&1 ||
		die "java: $(tail -n 3 "$scratch/said")"
	record jvm-young "$(servers_leg 'leg["count"]')"
	record jvm-missed "$(calc "$(servers_leg 'sum(l["count"]
		for l in t["legs"])') - $(grep -cE 'Pause (Young|Full)' "$log")")"
	record jvm-ms "$(servers_leg 'leg["total_ns"] / 1e6')"
	record jvm-log "$(sed -n 's/.*Pause Young.* \([0-9.]*\)ms$/\1/p' "$log" |
		awk '{ sum += $1 } END { print sum }')"
}

# ---- all of them ----

servers_lacks() { # COMMAND...
	local command

	for command; do
		command -v "$command" >/dev/null || return 0
	done
	return 1
}

measure_servers() { # ROUND
	[ "$1" -le $servers_rounds ] || return
	servers_lacks nginx ab || measure_nginx
	servers_lacks go ab || measure_goserver
	servers_lacks java javac || measure_jvm
}

servers_row() { # KEY
	ratio "$1-of-none" "$1-fast" "$1-none"
	show "$1-none" /s "nothing traced"
	show "$1-fast" /s "perftool, fast"
	show "$1-of-none" x "  of what it is without"
}

show_servers() {
	echo "Servers and a JVM at work (medians of $servers_rounds rounds)"
	if have nginx-none; then
		echo "  nginx, two workers, attached by their master"
		servers_row nginx
		goal nginx-missed "" == 0 "  of $servers_requests requests, not counted"
	else
		echo "  nginx and ab (apache2-utils) are not installed: not measured"
	fi
	if have goserver-none; then
		echo "  net/http of Go, by goroutine"
		servers_row goserver
		goal goserver-missed "" == 0 "  of the server's count, not counted"
		show goserver-goroutines "" "  goroutines"
		show goserver-mean us "  a request's function, mean"
		show goserver-own us "  by the server's own clock"
	else
		echo "  go and ab (apache2-utils) are not installed: not measured"
	fi
	if have jvm-ms; then
		echo "  a JVM: young collections of G1"
		show jvm-young "" "  counted"
		goal jvm-missed "" == 0 "  of all collections in its log, not counted"
		show jvm-ms ms "  total time"
		show jvm-log ms "  by its log"
	else
		echo "  java (openjdk-17-jdk-headless) is not installed: not measured"
	fi
}
