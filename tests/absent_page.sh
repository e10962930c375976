# absent_page.sh - a page of the program that never comes, for lazy_pages.t and
# served_pages.t, which source it after lib.sh
# shellcheck shell=bash disable=SC2154,SC2034 # lib.sh sets `status`, `server`; end_tool reads `tool`

# never_comes ARGUMENT...: $program, started so, has an item in a page that nobody
# provides. perftool is attached to it, with a condition that reads the item, and ended by a
# signal.
never_comes() {
	local signal tool address

	for signal in TERM INT; do
		serve "$program" "$@"
		start perftool -n -t 'pass if item->number >= 0' -e 'set mechanism int3' \
			-f json -o t.json -p "$server" 2>err
		tool=$started
		address=$((16#$(grep -m1 "/${program##*/}" "/proc/$server/maps" | cut -d- -f1) +
			16#$(nm "$program" | sed -n 's/ T pass$//p')))
		ok "SIG$signal: the function is patched" wait_for 20 has_patch "$server" "$address"
		says 'pass 5' 'passed 5' "SIG$signal: the program goes on without the page"
		end_tool "$signal"
		is "$status" 0 "SIG$signal: perftool ends with status 0"
		is "$(json 'entry("pass")["count"], entry("pass")["errors"]')" '0 5' \
			"SIG$signal: each hit has an error"
		is "$(foreign "$server")" 0 "SIG$signal: the program's code has no patches"
		says 'pass 5' 'passed 5' "SIG$signal: the program works afterwards"
		end_server
	done
}
