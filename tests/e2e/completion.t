#!/usr/bin/env bash
# The completions of bash, zsh and fish: each is run in its shell, and knows the
# options and subcommands of the program's own table.
# tier: full
# covers: ui
# shellcheck disable=SC2317,SC2016 # functions that are called by name; programs for shells
. "$(dirname "$0")/../lib.sh"

for shell in bash zsh fish; do
	perftool --man "$ROOT/src/ui/completion/perftool.$shell.in" >"perftool.$shell"
	like "$(grep -c '@' <<<"$(grep -x '@.*' "perftool.$shell")")" '^0$' \
		"the completion of $shell has the lists of the program"
done
printf '@OPTION LINES@\n' >options.in
printf '@SUBCOMMAND LINES@\n' >subcommands.in
perftool --man options.in >options
perftool --man subcommands.in >subcommands

# table SUBCOMMAND: the options that the table has for it
table() {
	awk -F'|' -v of=" $1 " 'index(" " $5 " ", of) {
		print "--" $2
		if ($1) print "-" $1
	}' options | sort | xargs
}
mapfile -t subcommands < <(cut -d'|' -f1 subcommands)
ok 'there are subcommands' [ "${#subcommands[@]}" -ge 4 ]

# What each shell makes of a line, whose last word is to be completed: one
# candidate a line, without what is said of it.
in_bash() { # LINE
	bash -c 'source ./perftool.bash
		read -ra COMP_WORDS <<<"$1"
		[[ $1 != *" " ]] || COMP_WORDS+=("")
		# bash makes three words of --name=value
		last=${COMP_WORDS[-1]}
		if [[ $last == --*=* ]]; then
			COMP_WORDS[-1]=${last%%=*}
			COMP_WORDS+=("=")
			[ -z "${last#*=}" ] || COMP_WORDS+=("${last#*=}")
		fi
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_perftool
		printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}
in_fish() {
	fish -c 'source ./perftool.fish; complete -C "$argv[1]"' "$1" | cut -f1
}
# zsh completes only at a terminal: zpty is one. The candidates are those that are
# handed to compadd.
cat >zsh.driver <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "cd ${(q)PWD}; TERM=dumb; PS1=; source ./zsh.inner"
zpty -r shell seen '*READY*'
zpty -w -n shell "$1"$'\t'
zpty -r shell seen '*READY*'
zpty -d shell
END
cat >zsh.inner <<'END'
mkdir -p functions
cp perftool.zsh functions/_perftool
fpath=($PWD/functions $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
	local -a found
	if (( ${argv[(I)-[OAD]]} == 0 )); then
		builtin compadd -O found "$@"
		print -rl -- $found >>candidates
	fi
	builtin compadd "$@"
}
complete_and_tell() {
	zle complete-word
	print -n RE''ADY >/dev/tty
}
zle -N complete_and_tell
bindkey '^I' complete_and_tell
zstyle ':completion:*' list-prompt ''
LISTMAX=0
print -n RE''ADY
END
in_zsh() {
	rm -f candidates
	within 30 zsh -f zsh.driver "$1" >/dev/null 2>&1
	[ ! -e candidates ] || cat candidates
}

# of SHELL LINE: the candidates in one line, sorted, without `=` at their ends
of() {
	"in_$1" "$2" | sed -e 's/=$//' -e '/^$/d' | sort -u | xargs
}

# a program that is served, for `perftool ctl`
export XDG_RUNTIME_DIR=$PWD/run
mkdir -m 700 run
start perftool serve -q -n sleep 1000 2>/dev/null
is_served() {
	[ "$(perftool who | wc -l)" = 1 ]
}
wait_for 60 is_served || fail 'a program is served'
served=$(perftool who | cut -d' ' -f1)
like "$served" '^[0-9]+$' 'perftool who begins with the number of a process'

touch report.json
mapfile -t with_files < <(awk -F'|' '$2 == "files" { print $1 }' subcommands)
mkdir folder
for shell in bash zsh fish; do
	if ! command -v "$shell" >/dev/null; then
		pass "the completion of $shell # SKIP $shell is not installed"
		continue
	fi
	for subcommand in perftool "${subcommands[@]}"; do
		line="perftool $subcommand"
		[ "$subcommand" != perftool ] || line=perftool
		is "$(of "$shell" "$line -")" "$(table "$subcommand")" \
			"$shell completes the options of the table: $line"
	done
	# options may follow the files of a subcommand that takes files
	for word in "${with_files[@]}"; do
		is "$(of "$shell" "perftool $word report.json rep")" report.json \
			"$shell: another file of $word"
		is "$(of "$shell" "perftool $word report.json --form")" --format \
			"$shell: an option of $word after a file"
	done
	is "$(of "$shell" 'perftool merge by')" by=rank "$shell: a word of merge"
	is "$(of "$shell" 'perftool merge report.json by')" by=rank "$shell: after a file"
	is "$(of "$shell" 'perftool compare by')" '' "$shell: which compare has not"
	is "$(of "$shell" 'perftool --form')" --format "$shell: the rest of an option"
	like " $(of "$shell" 'perftool ') " ' serve ' "$shell: subcommands"
	unlike " $(of "$shell" 'perftool -q ') " ' serve ' "$shell: no subcommand after an option"
	is "$(of "$shell" 'perftool -f js')" json "$shell: a word of an option"
	is "$(of "$shell" 'perftool -q --color al')" always "$shell: after another option"
	is "$(of "$shell" 'perftool -o x --format csv --deb')" --debuginfo \
		"$shell: after the arguments of others"
	is "$(of "$shell" 'perftool -o x cat rep')" report.json "$shell: and after the program"
	like "$(of "$shell" 'perftool --format=js')" '^(--format=)?json$' "$shell: after ="
	is "$(of "$shell" 'perftool -o rep')" report.json "$shell: a file"
	like "$(of "$shell" 'perftool --debuginfo fo')" '^folder/?$' "$shell: a folder"
	like " $(of "$shell" 'perftool -p ') " " $$ " "$shell: processes"
	like " $(of "$shell" 'perftool -q xarg') " ' xargs ' "$shell: the program"
	is "$(of "$shell" 'perftool cat --form')" '' "$shell: options of the program are its own"
	is "$(of "$shell" 'perftool ctl ')" "$served" "$shell: the process that is served"
	is "$(of "$shell" 'perftool who ')" '' "$shell: who takes no words"
	is "$(of "$shell" 'perftool cat rep')" report.json "$shell: and files its arguments"
	is "$(of "$shell" 'perftool -- cat --form')" '' "$shell: also after --"
done
is "$(of bash 'perftool -q whil')" '' 'bash: words of the shell are no programs'
done_testing
