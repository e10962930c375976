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

# Whatever optimizers do to variables, and to the frames they are in.
cat >"$work/rich.c" <<'END'
typedef struct { float x, y; } vector;
struct bits { unsigned a : 3; int b : 13; long c : 40; __int128 wide; } bits;
union any { int i; double d; char text[8]; } any;
_Thread_local long mine;
static int grid[3][4], (*table[2])(int);
static volatile int sink;
#define KEEP __attribute__((noinline, noclone))
KEEP int leaf(int a, double b, const int *c) { sink = *c; return a + (int)b; }
static inline int through(const int *p, int by) { return *p * by; }
KEEP int pointer(int a) { int b = a + 1; sink = 1; return through(&b, a); }
KEEP double convert(int a, float b)
{ double c = a * 2.0; short d = (short)(a + 3); sink = a; return b / (float)d + (c > 3 ? 1 : 0); }
KEEP vector split(vector v, long n)
{ vector w = {v.y + (float)n, v.x}; sink = 2; return w; }
KEEP int tail(int a) { return leaf(a + 1, 2.5, &grid[1][0]); }
KEEP int lost(int a, int b) { int c = a * b; leaf(a, b, &grid[0][1]); sink = c; return b; }
KEEP int kept(int n)
{ _Alignas(64) int big[16]; int vla[n]; for (int i = 0; i < n; i++) vla[i & 3] = big[i & 15] = i;
  leaf(vla[0], big[1], vla); return vla[1] + (int)mine + bits.b + any.i + table[0](n); }
KEEP __int128 huge(__int128 a, long double b) { sink = (int)b; return a << 3 ^ (long)b; }
KEEP _Complex double both(_Complex double a) { return a + a; }
__asm__(".text; .globl odd; .type odd, @function; odd: .cfi_startproc\n"
	".cfi_signal_frame\n"
	".cfi_escape 0x0f,3,0x77,8,6\n"	/* CFA: an expression */
	".cfi_escape 0x10,6,2,0x77,16\n"	/* rbp, by one */
	".cfi_escape 0x16,3,2,0x77,24\n"	/* rbx: its value */
	".cfi_remember_state; .cfi_undefined r12; .cfi_same_value r13\n"
	".cfi_register r14, r15; .cfi_restore r12; nop; .cfi_restore_state\n"
	"nop; ret; .cfi_endproc; .size odd, . - odd");
void _start(void)
{ vector v = {1, 2}; int i = pointer(3); v = split(v, i); table[0] = tail;
  sink = (int)convert(i, v.x) + tail(i) + lost(i, 5) + kept(i) + (int)huge(i, 1) + (int)both(i); for (;;) ; }
END
cat >"$work/rich.cc" <<'END'
struct Top { int a; virtual ~Top(); };
struct Left : virtual Top { int b; };
struct Right : virtual Top { int c; Right(const Right &) = default; Right(); };
struct Both : Left, Right { int d; static int made; enum class Kind : char { One = -1, Two } kind; };
Top::~Top() {} Right::Right() {} int Both::made;
int Both::*member = &Both::d; int (Left::*method)(int);
namespace { __attribute__((noinline)) Right made(int n) { Right r; r.c = n; return r; }
__attribute__((noinline)) int hidden(Right r, Both &both, int &&n) { return r.c + both.a + n; } }
extern "C" void __cxa_pure_virtual() {} void operator delete(void *) {} void operator delete(void *, unsigned long) {}
extern "C" void _start()
{ Both both; Right right; both.*member = hidden(right, both, 3) + made(4).c; auto f = [&](auto x) { return x + both.b; }; both.d = f(2); for (;;) ; }
END
cat >"$work/rich.rs" <<'END'
#![no_std]
#![no_main]
pub enum Shape { Dot, Circle(f32), Box { w: u16, h: u16 } }
pub struct Node<'a, T> { name: &'a str, list: &'a [T], next: Option<&'a Node<'a, T>>, pair: (i8, char) }
#[inline(never)] fn area(s: &Shape, n: &Node<u32>) -> u32
{ match s { Shape::Dot => n.list.len() as u32, Shape::Circle(r) => *r as u32, Shape::Box { w, h } => *w as u32 * *h as u32 + n.pair.0 as u32 } }
#[no_mangle] pub extern "C" fn _start() -> !
{ let n = Node { name: "a", list: &[1, 2], next: None, pair: (1, 'x') };
  let s = Shape::Box { w: area(&Shape::Circle(1.5), &n) as u16, h: n.name.len() as u16 };
  loop { if area(&s, &n) == 7 || n.next.is_some() { continue } } }
#[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
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
	.debug_sup .note.gnu.build-id .gnu_debuglink __rseq_cs .text"

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
seed rich-O0 rich.c gcc -g -O0
seed rich-O2 rich.c gcc -g -O2
seed rich4-O2 rich.c gcc -g -gdwarf-4 -O2
seed rich-clang rich.c clang -g -O2
seed rich-c++ rich.cc g++ -g -O1 -fno-rtti -fno-exceptions
seed rich-clang++ rich.cc clang++ -g -O1 -fno-rtti -fno-exceptions
(cd "$work" && rustc -g -O -C panic=abort --crate-type bin --emit obj \
	"--remap-path-prefix=$work=/src" rich.rs -o rich.o)
seed rust rich.o gcc
seed lto rich.c gcc -g -O2 -flto -ffat-lto-objects

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

# the same with its debug information in a file of its own, which it is itself
# shellcheck disable=SC2086 # the flags are words
(cd "$work" && gcc -O1 $flags $text -Wl,--build-id=sha1 tiny.c -o linked &&
	: >program.debug && objcopy --add-gnu-debuglink=program.debug linked)
cp "$work/linked" fuzz_elf/linked
dump "$work/linked" linked

# DWARF expressions: octal bytes, a name for each
mkdir -p fuzz_location
while read -r name bytes; do
	# shellcheck disable=SC2059 # a format of octal bytes
	printf "$bytes" >fuzz_location/"$name"
done <<'END'
arithmetic \063\022\036\061\034\026\027\033\037\042\037\041\032\040\031\037\045\044\046\051\056
register \120
pieces \125\223\004\221\150\223\004\060\237\235\010\003
frame \221\154\006\043\010\224\004
branch \065\022\050\003\000\023\061\057\001\000\226\025\000
bytes \236\004abcd
value \020\200\001\021\177\034\237
pointer \240\020\000\000\000\004
typed \245\000\052\250\052\251\000\244\052\010abcdefgh\036\237
entry \243\001\125\043\001\237
call \231\052\000\000\000\230\010\000
object \227\006\043\020
thread \016\010\000\000\000\000\000\000\000\233
END

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

# what front ends send: the messages of DyPer's documents. The targets put the
# `<` or the `{` before it; the first byte says how long the pieces are.
mkdir -p fuzz_wire_xml fuzz_wire_json fuzz_patch_modes
number=0
while read -r message; do
	number=$((number + 1))
	printf 'A%s' "${message#<}" >fuzz_wire_xml/$number
done <<'END'
<DYPER COMMAND='WHO' /><DYPER PID='12' XCOMMAND='WHORU'></DYPER><DYPER XCOMMAND='PING'/>
<DYPER_REPLY ID='12'/>
<DYPER PID='12' XCOMMAND='SET'><SETTINGS><VAR NAME='CHECKTIME' VALUE='1' /><VAR NAME='MONITOR' VALUE='TRUE' /></SETTINGS></DYPER>
<DYPER PID='*' XCOMMAND='SET'><VAR NAME='REPORTTIME' VALUE='100' /></DYPER> <DYPER XCOMMAND='GET'><VAR NAME='MAXDEPTH' /></DYPER>
<DYPER XCOMMAND='CLEAR'><CLEAR AGENT='cpu' /></DYPER>
<DYPER XCOMMAND='SETDETAIL'><SETTINGS><DETAIL ITEM='a.c' VALUE='T' AGENT='io' OWN='TRUE' /></SETTINGS></DYPER>
<DYPER XCOMMAND='CLASSES'><CLASSES CLEAR='1' CLEARIO='f'><PACKAGE NAME='/usr/lib/' TYPE='SYSTEM_IO' /><CLASS NAME='a.c' TYPE='NORMAL' /></CLASSES></DYPER>
<DYPER XCOMMAND='GETCLASSES'><MATCH TYPE='IO' NAME='/usr' /></DYPER>
<DYPER XCOMMAND='REPORT'><REPORT TYPE='ALL' /></DYPER>
<DYPER XCOMMAND='CLASSMODEL'><OPTIONS BINARY='TRUE' /></DYPER><DYPER XCOMMAND='SHOWSTACK' />
<DYPER XCOMMAND='INSTRUMENT'><MODEL NAME='m' INSERT='TRUE'><PATCH CLASS='a.c' ORIG='a' PATCH='b' /></MODEL></DYPER>
<DYPER XCOMMAND='AGENT'><AGENT CLASS='heap' /></DYPER>
<DYPER XCOMMAND='USETHREAD'><THREADS><THREAD ID='1' IGNORE='T' USE='F' /></THREADS></DYPER>
<DYPATCH PID='12' COMMAND='MODEL'><MODEL NAME='m'><FOR CLASS='a.c' METHOD='f' UPDATE='NEW'><PATCH WHAT='ENTER' MODE='count'><WHEN CASE='FIELD' ARG='x' /></PATCH></FOR></MODEL></DYPATCH>
<DYPATCH COMMAND='PATCH'><PATCH ALL='TRUE' MODEL='m'><CLASS NAME='a.c' /></PATCH></DYPATCH>
<DYPATCH COMMAND='DIRECTORY'> /tmp/x </DYPATCH><DYPER XCOMMAND='COMMAND'>print &lt;legs&gt; &#x2603; &amp;</DYPER>
<?xml version="1.0" encoding="UTF-8"?><DYPER A='&quot;&apos;&#10;'><!-- a > b --><![CDATA[<x>]]><é name='ü'/><n name=''>t</n></DYPER>
<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE a [<!ENTITY b "c"><!ENTITY % d SYSTEM "file:///etc/passwd">]><a>&b;</a>
<DYPER XCOMMAND='X' TEXT='a' ID='b' xmlns:p='urn:q'><p:q p:r='s'/><TEXT>c</TEXT><TEXT/></DYPER><?pi x?>
END
number=0
while read -r message; do
	number=$((number + 1))
	printf 'A%s\n' "${message#\{}" >fuzz_wire_json/$number
done <<'END'
{"jsonrpc":"2.0","id":1,"method":"who"}
{"jsonrpc":"2.0","id":"a","method":"set","params":{"pid":12,"var":[{"name":"REPORTTIME","value":100},{"name":"MONITOR","value":true}]}}
{"jsonrpc":"2.0","method":"setdetail","params":{"settings":[{"detail":[{"item":"a.c","value":"T"}]}]}}
{"jsonrpc":"2.0","id":null,"method":"model","params":{"name":"m","for":[{"class":"a.c","method":"f","update":"NEW","patch":[{"what":"ENTER","mode":"count","when":{"case":"FIELD","arg":"x"}}]}]}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":1.5e3,"method":"command","params":{"line":"print \"legs\" \u2603 \ud83d\ude00 \u0000"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"a"}}
{"a":[[[[1,-2.5,1e400,null,false]]],{"b":{}}],"method":7}
END
number=0
while read -r file; do
	number=$((number + 1))
	printf '%s\n' "$file" >fuzz_patch_modes/$number
done <<'END'
<DYPATCH_MODE NAME='big' CONTEXT='c'><CODE TYPE='CALL' CLASS='c' METHOD='histogram' SIGNATURE='s'><CONDITION TYPE='ARG' LVALUE='1' RVALUE='12' /><CONDITION TYPE='FIELD' LVALUE='next' RVALUE='NONNULL' /><ARG TYPE='INTEGER' VALUE='-1' /><ARG TYPE='CURTHREAD' /></CODE><INSTRUCTION /></DYPATCH_MODE>
<DYPATCH><DYPATCH_MODE NAME='a'><CODE METHOD='count'><ARG TYPE='LOCAL' VALUE='p->size' /></CODE></DYPATCH_MODE><DYPATCH_MODE NAME='b'><CODE METHOD='trace'><CONDITION TYPE='RETURN' RVALUE='NULL' /><ARG TYPE='THIS' /></CODE></DYPATCH_MODE></DYPATCH>
<DYPATCH><DYPATCH_EXTERNAL NAME='x' CLASS='c' JAR='j' /></DYPATCH>
{"dypatch_mode":[{"name":"j","code":[{"method":"time","arg":[{"type":"FIELD","value":"a.b[2]"}],"condition":[{"type":"LOCAL","lvalue":"n","rvalue":"3"}]}]}]}
{"dypatch_mode":{"name":"count","code":{"method":"count","arg":{"type":"NULL"}}}}
END
