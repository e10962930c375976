#!/usr/bin/env bash
# make install, the man page and the completion of bash.
. "$(dirname "$0")/../lib.sh"

# install the build that is being tested: with or without sanitizers, and with
# its mechanism
built=
case $(basename "$BUILD") in
build) ;;
build-INT3 | build-FAST) built="DEFAULT=${BUILD##*-}" ;;
*) built='SAN=1' ;;
esac
try make -C "$ROOT" -s ${built:+"$built"} install DESTDIR="$SCRATCH/root" PREFIX=/usr
is "$status" 0 'make install ends with status 0'
root=$SCRATCH/root/usr
ok 'make install installs the program' [ -x "$root/bin/perftool" ]
try "$root/bin/perftool" --version
is "$status" 0 'the installed program runs'
page=$root/share/man/man1/perftool.1
ok 'make install installs the man page' [ -s "$page" ]
try man --warnings -E UTF-8 -l "$page"
is "$status $err" '0 ' 'the man page has no faults'
like "$out" 'NAME.*SYNOPSIS.*DESCRIPTION.*OPTIONS' 'the man page has its sections'
# each command of the table of commands is in the man page
perftool -q -n -e help >help.txt
while read -r command; do
	grep -qF -- "$command" <<<"$out" ||
		fail "the man page lacks $command"
done < <(sed -n 's/^  \([a-z][a-z ]*[a-z]\)  .*/\1/p' help.txt)
pass 'the man page has every command that help lists'
completion=$root/share/bash-completion/completions/perftool
try bash -c "source '$completion' && complete -p perftool"
is "$status" 0 'the completion of bash loads'
try bash -c "source '$completion'
	COMP_WORDS=(perftool --f) COMP_CWORD=1 COMP_LINE='perftool --f' COMP_POINT=12
	\$(complete -p perftool | sed 's/.*-F \([^ ]*\).*/\1/') perftool --f perftool
	printf '%s\n' \"\${COMPREPLY[@]}\""
like "$out" '--format' 'the completion of bash completes options'
try make -C "$ROOT" -s ${built:+"$built"} uninstall DESTDIR="$SCRATCH/root" PREFIX=/usr
is "$(find "$SCRATCH/root" -type f | wc -l)" 0 'make uninstall removes all files'
done_testing
