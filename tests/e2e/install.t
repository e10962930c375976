#!/usr/bin/env bash
# make install, the man page and the completions; make uninstall.
# tier: core
# covers: packaging Makefile command/help ui/completion
. "$(dirname "$0")/../lib.sh"

# install the build that is being tested: with or without sanitizers
built=
[ "$(basename "$BUILD")" = build ] || built='SAN=1'
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
perftool --man "$ROOT/doc/reference.md.in" >reference.md
ok 'doc/reference.md is what the tables say (make doc/reference.md)' \
	cmp reference.md "$ROOT/doc/reference.md"
completion=$root/share/bash-completion/completions/perftool
try bash -c "source '$completion' && complete -p perftool"
is "$status" 0 'the completion of bash loads'
try bash -c "source '$completion'
	COMP_WORDS=(perftool --f) COMP_CWORD=1 COMP_LINE='perftool --f' COMP_POINT=12
	\$(complete -p perftool | sed 's/.*-F \([^ ]*\).*/\1/') perftool --f perftool
	printf '%s\n' \"\${COMPREPLY[@]}\""
like "$out" '--format' 'the completion of bash completes options'

# completed WORD...: prints how the completion goes on with the last word
completed() {
	bash -c "source '$completion'
		COMP_WORDS=(\"\$@\") COMP_CWORD=\$((\$# - 1))
		\$(complete -p perftool | sed 's/.*-F \([^ ]*\).*/\1/') perftool
		printf '%s\n' \"\${COMPREPLY[@]}\"" bash "$@" | sort -u | xargs
}
like "$(completed perftool serv) $(completed perftool serve --wa)" '^serve .*--wait-front-end' \
	'the completion of bash knows serve and its options'
is "$(completed perftool serve --socket x --ht) $(completed perftool ls --ht)" '--http ' \
	'and where the program begins'

# completion.t tries the others
for file in zsh/site-functions/_perftool fish/vendor_completions.d/perftool.fish; do
	ok "make install installs $file" [ -s "$root/share/$file" ]
done

# ---- the library ----
export PKG_CONFIG_PATH=$root/lib/pkgconfig
cat >once.c <<'END'
#include <perftool.h>
#include <stdio.h>
int main(void)
{
	struct perftool_session *session;
	struct perftool_error *error = perftool_session_create(&session);

	if (!error)
		perftool_session_destroy(session);
	puts(error ? perftool_error_message(error) : perftool_version());
	return error != 0;
}
END
try pkg-config --modversion libperftool
is "$out" "$(perftool --version | cut -d' ' -f2)" 'pkg-config knows the library and its version'
flags=$(PKG_CONFIG_SYSROOT_DIR=$SCRATCH/root pkg-config --define-variable=prefix="$root" \
	--cflags --libs libperftool)
read -ra flags <<<"${flags//$SCRATCH\/root$SCRATCH\/root/$SCRATCH/root}"
# the library is sanitized if perftool is
[ -z "$built" ] || [ "$built" != SAN=1 ] || flags+=('-fsanitize=address,undefined')
try gcc -Wall -Werror once.c -o once "${flags[@]}"
is "$status $err" '0 ' 'a program is compiled and linked with what pkg-config says'
LD_LIBRARY_PATH=$root/lib try ./once
is "$status $out" "0 $(perftool --version | cut -d' ' -f2)" 'and runs with the installed library'
is "$(readlink "$root/lib/libperftool.so") $(readlink "$root/lib/libperftool.so.0")" \
	"libperftool.so.0 libperftool.so.$(perftool --version | cut -d' ' -f2)" \
	'the library has its three names'
try g++ -x c++ -Wall -Wextra -Werror -fsyntax-only -I"$root/include" once.c
is "$status $err" '0 ' 'the headers are C++, too'
if [ "$built" != SAN=1 ]; then
	LIBPERFTOOL=$root/lib/libperftool.so.0 PYTHONPATH=$root/lib/python3/dist-packages \
		try /usr/bin/python3 -c 'import perftool; print(perftool.version())'
	is "$status $out" "0 $(perftool --version | cut -d' ' -f2)" 'python3 imports the module'
fi
try make -C "$ROOT" -s ${built:+"$built"} uninstall DESTDIR="$SCRATCH/root" PREFIX=/usr
is "$(find "$SCRATCH/root" -type f -o -type l | wc -l)" 0 'make uninstall removes all files'
is "$(find "$SCRATCH/root" -type d -name 'perftool*')" '' 'and the folder of its own'
# as distributions install it
places=(PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu ZSHDIR=/usr/share/zsh/vendor-completions
	DESTDIR="$SCRATCH/other")
try make -C "$ROOT" -s ${built:+"$built"} install "${places[@]}"
is "$status $(find "$SCRATCH/other" -name 'libperftool*' | sed "s,$SCRATCH/other,," | sort | xargs)" \
	"0 $(cd / && printf '/usr/lib/x86_64-linux-gnu/%s ' libperftool.so libperftool.so.0 \
		"libperftool.so.$(perftool --version | cut -d' ' -f2)" \
		pkgconfig/libperftool.pc | sed 's/ $//')" \
	'the library goes to another folder if make is told so'
like "$(cat "$SCRATCH/other/usr/lib/x86_64-linux-gnu/pkgconfig/libperftool.pc")" \
	'libdir=\$\{prefix\}/lib/x86_64-linux-gnu' 'and pkg-config knows of that'
try make -C "$ROOT" -s ${built:+"$built"} uninstall "${places[@]}"
is "$(find "$SCRATCH/other" -type f -o -type l | wc -l)" 0 'make uninstall finds it there'
done_testing
