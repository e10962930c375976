# shellcheck shell=bash disable=SC2154
# Sourced by run.sh, after sqlite.sh: exact profiles of calls. sqlite3 at work,
# with all functions of its library: perftool, uftrace and callgrind.

profile_rounds=$((rounds < 3 ? rounds : 3))

profile_perftool() { # KIND
	sqlite_seconds "$tool" -q -n -b -e "set counting $1" \
		-e "profile functions *@${sqlite_library##*/}" \
		-e run -e "print functions > $scratch/profile-$1.txt" \
		"${sqlite_work[@]}"
}

# How many functions were called, and how often.
profile_report() { # KIND
	local functions calls

	read -r functions calls < <(awk '$1 ~ /^[0-9][0-9,]*$/ && $2 !~ /^function/ {
			n++; gsub(",", "", $1); sum += $1 }
		END { printf "%d %.0f\n", n, sum }' "$scratch/profile-$1.txt")
	record "profile-$1-functions" "$functions"
	record "profile-$1-calls" "$calls"
}

measure_profile() { # ROUND
	local kind

	if [ -z "$sqlite_library" ] || [ "$1" -gt $profile_rounds ]; then
		return
	fi
	record profile-none "$(sqlite_seconds "${sqlite_work[@]}")"
	for kind in program ring; do
		record "profile-$kind" "$(profile_perftool $kind)"
		profile_report $kind
	done
	peer uftrace profile-uftrace sqlite_uftrace all
	peer valgrind profile-callgrind sqlite_callgrind
}

profile_row() { # FIGURE TEXT
	ratio "$1-slower" "$1" profile-none
	show "$1" s "$2"
	show "$1-slower" x "  of none"
}

show_profile() {
	local kind

	if [ -z "$sqlite_library" ]; then
		echo "sqlite3 is not installed, or has no shared library:" \
			"not measured"
		return
	fi
	echo "A profile of all calls of sqlite3 (medians of $profile_rounds rounds)"
	show profile-none s "nothing traced"
	for kind in program ring; do
		profile_row "profile-$kind" \
			"profile functions '*', counting $kind"
		show "profile-$kind-functions" "" "  functions called"
		show "profile-$kind-calls" "" "  calls"
	done
	profile_row profile-uftrace "uftrace -P, all that it can patch"
	profile_row profile-callgrind "callgrind, everything"
	ratio profile-to-uftrace profile-program-slower profile-uftrace-slower
	goal profile-to-uftrace x '<' 1 "a profile of calls / uftrace"
	ratio profile-to-callgrind profile-program-slower \
		profile-callgrind-slower
	goal profile-to-callgrind x '<' 1 "a profile of calls / callgrind"
	show_absent uftrace valgrind
}
