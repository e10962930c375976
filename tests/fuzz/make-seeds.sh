#!/bin/sh
# Make the seeds in tests/fuzz/seeds/ anew: tiny programs as compilers write
# them, whole for fuzz_elf, and their sections alone for fuzz_dwarf. The seeds
# are kept in the repository; run this when a new kind of input is wanted.
set -eu
cd "$(dirname "$0")/seeds"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/tiny.c" <<'END'
enum colour { RED = -1, GREEN } colour;
struct pair { int a; long b[2]; } pair;
static int hidden = 3;
_Thread_local int own;
static inline int twice(int x) { int y = x * 2; return y + hidden; }
__attribute__((noinline)) int work(int n, double d, struct pair p)
{
	static long kept;
	for (int i = 0; i < n; i++) { int t = twice(i); kept += t; }
	if (n > 9000) __builtin_trap();
	return (int)(kept + d) + p.a + own;
}
__attribute__((noinline)) const char *text(const char *s, unsigned char c)
{ return c ? s + c : s; }
void _start(void)
{ colour = work(pair.a, 1.5, pair); text("hello", (unsigned char)hidden); for (;;) ; }
END
cat >"$work/tiny.cc" <<'END'
namespace space {
template <typename T> struct Box { T value; T get(int &by) { return value + by; } };
struct Base { static int count; virtual int size(long) const; };
int Base::count = 4;
int Base::size(long n) const { return int(n) + count; }
}
extern "C" void _start()
{ space::Box<int> box = {1}; int one = 1; space::Base base; one = box.get(one) + base.size(one); for (;;) ; }
END

flags="-nostdlib -nostartfiles -fno-stack-protector -Wl,--build-id=none
	-Wl,-z,noseparate-code -Wl,-z,norelro -w"

# The sections of a file as fuzz_dwarf has them, by their numbers in
# visit_dwarf.h; - is one that is not kept.
sections=".debug_info .debug_abbrev .debug_str .debug_line .debug_line_str
	.debug_aranges .debug_ranges .debug_rnglists .debug_loc .debug_loclists
	.debug_addr .debug_str_offsets .debug_frame .eh_frame - - .debug_types
	.debug_info.dwo .debug_abbrev.dwo .debug_str.dwo .debug_str_offsets.dwo
	.debug_loc.dwo .debug_loclists.dwo .debug_rnglists.dwo .debug_line.dwo
	.debug_types.dwo .debug_cu_index .debug_tu_index .gnu_debugaltlink
	.debug_sup .note.gnu.build-id"

# dump FILE SEED
dump() {
	number=0
	: >"fuzz_dwarf/$2"
	for section in $sections; do
		: >"$work/section"
		[ "$section" = - ] ||
			objcopy --dump-section "$section=$work/section" \
				"$1" /dev/null 2>/dev/null || true
		size=$(wc -c <"$work/section")
		if [ "$size" -gt 0 ]; then
			# shellcheck disable=SC2059 # a format of octal bytes
			printf "$(printf '\\%03o\\%03o\\%03o' $number \
				$((size % 256)) $((size / 256)))" \
				>>"fuzz_dwarf/$2"
			cat "$work/section" >>"fuzz_dwarf/$2"
		fi
		number=$((number + 1))
	done
}

# name, then the compiler with its flags, then the source
seed() {
	name=$1 source=$2
	shift 2
	# shellcheck disable=SC2086 # the flags are words
	(cd "$work" && "$@" $flags $text "-fdebug-prefix-map=$work=/src" "$source" \
		-o "$name")
	mkdir -p fuzz_elf fuzz_dwarf
	cp "$work/$name" "fuzz_elf/$name"
	dump "$work/$name" "$name"
}

# The same of what is split off, or packed by "pack", in one file with what is
# linked: visit_file.h gives it the names that it asks for.
split_seed() {
	name=$1 source=$2 pack=$3
	shift 3
	# shellcheck disable=SC2086 # the flags are words
	(
		cd "$work" || exit
		"$@" -gsplit-dwarf "-fdebug-prefix-map=$work=/src" -w -c "$source" \
			-o program.o
		"$@" $flags $text program.o -o program
		if [ "$pack" = pack ]; then
			llvm-dwp program.dwo -o program.dwp
			mv program.dwp program.dwo
		fi
		cp program joined
		for section in $sections; do
			case $section in *.dwo | *_index) ;; *) continue ;; esac
			: >section
			objcopy --dump-section "$section=section" \
				program.dwo /dev/null 2>/dev/null || true
			[ ! -s section ] ||
				objcopy --add-section "$section=section" joined
		done
	)
	cp "$work/joined" "fuzz_elf/$name"
	dump "$work/joined" "$name"
}

# The same of what dwz makes of two programs, as if one of them were what they
# share: it gets that build id.
shared_seed() {
	name=$1
	shift
	(
		cd "$work" || exit
		# shellcheck disable=SC2086 # the flags are words
		gcc -g -O1 $flags $text -Wl,--build-id "-fdebug-prefix-map=$work=/src" \
			tiny.c -o one
		cp one two
		dwz "$@" -m shared -M ./shared one two 2>/dev/null
		for section in .gnu_debugaltlink .debug_sup; do
			objcopy --dump-section "$section=link" one /dev/null \
				2>/dev/null || true
		done
		{
			printf '\004\000\000\000\024\000\000\000'
			printf '\003\000\000\000GNU\000'
			tail -c 20 link
		} >note
		objcopy --update-section .note.gnu.build-id=note one
	)
	cp "$work/one" "fuzz_elf/$name"
	dump "$work/one" "$name"
}

# addresses as fuzz_dwarf has them
text='-Wl,-Ttext=0x1000 -Wl,--section-start=.eh_frame=0x3000'
seed gcc5-O0 tiny.c gcc -g -gdwarf-5 -O0
seed gcc5-O2 tiny.c gcc -g -gdwarf-5 -O2
seed gcc4-O2 tiny.c gcc -g -gdwarf-4 -O2
seed gcc2-O0 tiny.c gcc -g -gdwarf-2 -gstrict-dwarf -O0
seed gcc5-types tiny.c gcc -g -gdwarf-5 -fdebug-types-section -O1
seed gcc5-c++ tiny.cc g++ -g -gdwarf-5 -O1 -fno-rtti
seed clang5-O2 tiny.c clang -g -gdwarf-5 -O2
seed clang4-O1 tiny.c clang -g -gdwarf-4 -O1
seed frame tiny.c gcc -g -O1 -fno-asynchronous-unwind-tables
seed stripped tiny.c gcc -O2 -s
seed compressed tiny.c gcc -g -gz -O1

# dynamic symbols, with versions, and no section headers to tell where they are
printf 'A { work; }; B { text; _start; } A;' >"$work/versions"
for how in gnu sysv; do
	name=bare-$how
	seed "$name" tiny.c gcc -O1 -s -shared -fPIC "-Wl,--hash-style=$how" \
		-Wl,--version-script=versions
	rm "fuzz_dwarf/$name"
	printf '\0\0\0\0\0\0\0\0' |
		dd of="fuzz_elf/$name" bs=1 seek=40 conv=notrunc 2>/dev/null
	printf '\0\0\0\0\0\0' |
		dd of="fuzz_elf/$name" bs=1 seek=58 conv=notrunc 2>/dev/null
done

seed gcc4-types tiny.c gcc -g -gdwarf-4 -fdebug-types-section -O1
split_seed split4 tiny.c - gcc -g -gdwarf-4 -O1 -fdebug-types-section
split_seed split5 tiny.c - clang -g -gdwarf-5 -O1
split_seed package4 tiny.c pack gcc -g -gdwarf-4 -O1 -fdebug-types-section
split_seed package5 tiny.c pack gcc -g -gdwarf-5 -O1 -fdebug-types-section
shared_seed shared4
shared_seed shared5 -5

mkdir -p fuzz_names
printf '_ZN5space3BoxIiE3getERi\nBox::get(int&)' >fuzz_names/template
printf '_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE\nwrite_*' \
	>fuzz_names/rust
printf '_RNvCs1234_7mycrate3foo\nfoo' >fuzz_names/rust-v0
printf '_ZlsRSoRK3Foo\noperator<<' >fuzz_names/operator
printf '_ZNKSt8functionIFivEEclEv\noperator()' >fuzz_names/call
printf '_ZN12_GLOBAL__N_13fooEv.constprop.0\n(anonymous namespace)::foo' \
	>fuzz_names/anonymous
printf '_ZZ4mainENKUlvE_clEv\nmain::*' >fuzz_names/lambda

mkdir -p fuzz_expr
number=0
while read -r expression; do
	number=$((number + 1))
	printf '%s' "$expression" >fuzz_expr/$number
done <<'END'
p->next->points[n + 1].y * 2.5e3L >= (float) n
item.low == 3 && item.high < -1 || !item.color
(struct item *) p - 1 == &item ? p->name : (char *) numbers
(item) - 1 + sizeof (struct item *) + sizeof p->points / sizeof *p
p->name == "a\x41\n\"" && text != "b"
*&numbers[1][2] << 3 >> 1u ^ ~0x7f | 'a' & 0b11 % 7
'file.c'::kept + list<int, a<b> >::size + ns::x::{impl#0}::y
$arg1 + $ret + $rax + $node(3) - $pid
(enum color) 4 == GREEN ? pair.0.1 : -p.points->x
(unsigned char) 300, *(long double *) 65536
END
