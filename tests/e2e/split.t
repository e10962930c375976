#!/usr/bin/env bash
# Debug information in all the files into which compilers and tools put it. The
# answers are the same as with all information in one file, and gdb confirms
# them.
# tier: full
# covers: debuginfo/dwarf debuginfo/elf
. "$(dirname "$0")/../lib.sh"

cat >work.c <<'END'
#include <stdio.h>

struct point {
	int x, y;
};
enum colour { RED = 5, GREEN };
int shared = 4;
static volatile enum colour tint = GREEN;
__thread int own = 21;
int far(int);

static inline __attribute__((always_inline)) int twice(int v)
{
	volatile int w = v * 2;

	__asm__ volatile("nop" ::: "memory");
	return w + shared; /* inner */
}

__attribute__((noinline)) int work(struct point *p, int n)
{
	struct point corner = {n, n + 1};
	volatile int sum = p->x;

	__asm__ volatile("nop" : "+r"(p), "+r"(n)); /* first */
	sum += twice(corner.y);
	own++;
	__asm__ volatile("nop" ::: "memory"); /* last */
	return sum + (int)tint;
}

int main(int argc, char **argv)
{
	struct point p = {argc, 3};
	int sum = work(&p, 10);

	(void)argv;
	shared += sum;
	printf("%d\n", far(sum));
	return 0;
}
END
cat >far.cc <<'END'
extern "C" int shared;
extern "C" int far(int);

namespace space
{
enum Kind { SMALL = 9, LARGE };
struct Base {
	int weight;
	static int count;
};
int Base::count = 40;
template <typename T> struct Box : Base {
	T value;
	T get(T by);
};
template <> __attribute__((noinline)) int Box<int>::get(int by)
{
	volatile int sum = value + by;

	count++;
	__asm__ volatile("nop" : "+r"(by)); /* box */
	return sum + weight;
}
struct Lone {
	long q;
};
static volatile int tint = 77;
}

__attribute__((noinline)) int far(int n)
{
	space::Box<int> box;
	volatile space::Lone lone = {n + 1L};

	box.value = 3;
	box.weight = n;
	space::tint = (int)lone.q;
	return box.get(space::LARGE) + shared;
}
END

# FILE WORD: prints the number of the line that has the word as a comment
line() {
	sed -n "\,/\* $2 \*/,=" "$1"
}

# The expressions that are evaluated at each line.
sed "s/FIRST/$(line work.c first)/; s/LAST/$(line work.c last)/
	s/INNER/$(line work.c inner)/; s/BOX/$(line far.cc box)/" >questions <<'END'
work.c:FIRST n
work.c:FIRST *p
work.c:FIRST p->y + n
work.c:FIRST corner
work.c:FIRST tint
work.c:FIRST (enum colour)5
work.c:FIRST sizeof(struct point)
work.c:FIRST own
work.c:FIRST shared
work.c:INNER v
work.c:INNER w
work.c:LAST sum
work.c:LAST own
work.c:LAST space::tint
work.c:LAST sizeof(space::Lone)
far.cc:BOX by
far.cc:BOX *this
far.cc:BOX weight
far.cc:BOX count
far.cc:BOX space::tint
far.cc:BOX SMALL
far.cc:BOX 'work.c'::tint
far.cc:BOX sizeof(space::Box<int>)
far.cc:BOX ((space::Lone *)this)->q
END

# script: stops at each place, evaluates the expressions there, and shows where
# breakpoints and frames are.
{
	echo 'list modules'
	echo 'break twice'
	cut -d' ' -f1 questions | uniq | sed 's/^/break /'
	echo 'list breaks'
	echo 'disable 1'
	go=run
	cut -d' ' -f1 questions | uniq | while read -r place; do
		echo $go
		go='continue'
		sed -n "s/^$place /evaluate /p" questions
		echo where
	done
	echo kill
} >script

# answers DIRECTORY [OPTION...]: prints what the tool says of DIRECTORY/program
answers() {
	local program=$1/program
	shift
	within "$LIMIT" perftool -n -q "$@" "./$program" <script 2>&1 |
		sed "s/0x[0-9a-f]*/ADDRESS/g; s# in /.*##; /libc_start/d
			s#$PWD/##; s#$program#PROGRAM#"
}

# build COMPILER DIRECTORY [FLAG...]: builds DIRECTORY/program, its objects and
# the files that belong to them
build() {
	local compiler=$1 directory=$2 link=()
	shift 2
	mkdir -p "$directory"
	case "$compiler $*" in
	'clang '*-flto*) link=(-fuse-ld=lld) ;;
	esac
	(
		cd "$directory" || exit
		"$compiler" -g -O1 "$@" -c ../work.c -o work.o &&
			"$compiler" -g -O1 "$@" -c ../far.cc -o far.o &&
			"$compiler" -g -O1 "$@" "${link[@]}" work.o far.o \
				-o program
	) >"$directory/build.log" 2>&1 || diag <"$directory/build.log"
}

# same DIRECTORY NAME [OPTION...]: the answers are the same as in $plain, except
# for the version of DWARF, which the first answer names.
same() {
	local directory=$1 name=$2
	shift 2
	answers "$directory" "$@" |
		sed 's/(DWARF [45])/(DWARF)/' >"$directory/answers"
	if diff "$plain/answers" "$directory/answers" >difference; then
		pass "$name"
	else
		fail "$name" "$(cat difference)"
	fi
}

# The questions that gdb is also asked. Left out are those that gdb answers in
# another form (scopes of names, sizes in hexadecimal digits), and those that
# make gdb end (a variable in pieces).
grep -v 'sizeof\|corner\|[*]this\|SMALL' questions >common

{
	cut -d' ' -f1 common | uniq | sed 's/^/break /'
	awk '$1 != last { print last ? "continue" : "run"; last = $1 }
		{ $1 = ""; print "evaluate" $0 }' common
	echo kill
} >common-script

# values PROGRAM: prints gdb's answers
values() {
	{
		cut -d' ' -f1 common | uniq | sed 's/^/break /'
		echo run
		awk '$1 != last { if (last) print "continue"; last = $1 }
			{ $1 = ""; print "print" $0 }' common
		echo kill
	} >gdb-script
	within "$LIMIT" gdb -nx -q -batch -x gdb-script "$1" 2>&1 |
		sed -n 's/^\$[0-9]* = //p'
}

# package TOOL DIRECTORY: packs all .dwo files into one file
package() {
	(cd "$2" && within "$LIMIT" "$1" -e program -o program.dwp &&
		rm ./*.dwo) >>"$2/build.log" 2>&1 || diag <"$2/build.log"
}

for compiler in gcc clang; do
	plain=$compiler-plain
	build $compiler $plain -gdwarf-5
	answers $plain | sed 's/(DWARF [45])/(DWARF)/' >$plain/answers
	is "$(perftool -n -q ./$plain/program <common-script 2>&1)" \
		"$(values $plain/program)" "$compiler: the values of expressions are gdb's"
	is "$(grep -c 'pending\|no code\|standard input' $plain/answers)" 0 \
		"$compiler: no answer is an error or pending"
	for version in 4 5; do
		dwarf=-gdwarf-$version
		name=$compiler$version
		types=-fdebug-types-section
		build $compiler $name-types $dwarf $types
		same $name-types "$name, type units: the answers are as with one file"
		build $compiler $name-types-z $dwarf $types -gz
		same $name-types-z "$name, type units, compressed: the answers are as with one file"
		build $compiler $name-lto $dwarf -flto
		same $name-lto "$name, link-time optimization: the answers are as with one file"

		build $compiler $name-split $dwarf -gsplit-dwarf
		same $name-split "$name, split: the answers are as with one file"
		cp -r $name-split $name-llvm
		package llvm-dwp $name-llvm
		same $name-llvm "$name, split, packed by llvm-dwp: the answers are as with one file"
		build $compiler $name-split-types $dwarf -gsplit-dwarf $types
		same $name-split-types "$name, split, type units: the answers are as with one file"
		package llvm-dwp $name-split-types
		same $name-split-types \
			"$name, split, type units, llvm-dwp: the answers are as with one file"
		build $compiler $name-split-z $dwarf -gsplit-dwarf -gz
		same $name-split-z "$name, split, compressed: the answers are as with one file"
		# the dwp of binutils in Debian 12 knows only the form before
		# DWARF 5
		if [ $version = 4 ]; then
			package dwp $name-split
			same $name-split "$name, split, packed by dwp: the answers are as with one file"
		fi

		# dwz cannot read what clang writes for DWARF 5
		[ $name = clang5 ] && continue
		build $compiler $name-dwz $dwarf
		build $compiler $name-dwz-other $dwarf -O0
		mkdir $name-shared
		cp $name-dwz/program $name-shared/program
		cp $name-dwz-other/program $name-shared/other
		cp -r $name-shared $name-sup
		dwz $name-dwz/program
		same $name-dwz "$name, dwz: the answers are as with one file"
		(cd $name-shared && dwz -m common -M common program other)
		same $name-shared "$name, dwz with another program: the answers are as with one file"
		(cd $name-sup && dwz -5 -m common -M common program other)
		same $name-sup "$name, dwz -5 with another program: the answers are as with one file"
	done
done

# ---- files that were moved or replaced --------------------------------------

# modules DIRECTORY [OPTION...]: prints what `list modules` says of the
# directory's program
modules() {
	local program=$1/program
	shift
	perftool -n "$@" -b -e 'list modules' -e 'kill' "$program" 2>&1 |
		sed -n '2s/^ *//p'
}

for version in 4 5; do
	name=gcc$version
	said="debug information (DWARF $version)"
	plain=gcc-plain
	build gcc $name-moved -gdwarf-$version -gsplit-dwarf
	is "$(modules $name-moved)" "$said" "$name: list modules finds all .dwo files"
	mkdir -p flat "tree$PWD/$name-moved"
	mv $name-moved/far.dwo flat/
	where=$PWD/$name-moved
	is "$(modules $name-moved)" \
		"$said, but 1 of 2 .dwo files is missing (first: $where/far.dwo)" \
		"$name: list modules names the .dwo file that is missing"
	perftool -n -q -b -e 'break work.c:twice' -e 'run' -e 'evaluate sizeof(struct point)' \
		-e kill $name-moved/program >out 2>&1
	is "$(cat out)" 8 "$name: a type of the .dwo file that is not missing is found"
	same $name-moved "$name: --debuginfo finds a .dwo file in a flat directory" --debuginfo flat
	mv flat/far.dwo $name-moved/work.dwo "tree$PWD/$name-moved/"
	is "$(modules $name-moved)" \
		"$said, but 2 of 2 .dwo files are missing (first: $where/work.dwo)" \
		"$name: list modules says that both .dwo files are missing"
	same $name-moved "$name: --debuginfo finds .dwo files in a tree" --debuginfo tree
	mv "tree$PWD/$name-moved/"*.dwo $name-moved/
	mv $name-moved $name-elsewhere
	is "$(modules $name-elsewhere)" "$said" "$name: .dwo files are found beside a program that was moved"
	(cd $name-elsewhere && gcc -g -O2 -gdwarf-$version -gsplit-dwarf \
		-c ../far.cc -o far.o && rm far.o)
	is "$(modules $name-elsewhere)" \
		"$said, but 1 of 2 .dwo files is missing (first: $where/far.dwo; $PWD/$name-elsewhere/far.dwo is of another build)" \
		"$name: a .dwo file of another build is refused, and named"

	mv $name-shared/common .
	is "$(modules $name-shared)" \
		"$said, but common, which has a part of it, is missing" \
		"$name: list modules says that dwz's shared file is missing"
	same $name-shared "$name: --debuginfo finds dwz's shared file" --debuginfo .
	cp $name-shared/program $name-shared/common
	is "$(modules $name-shared)" \
		"$said, but $PWD/$name-shared/common, which has a part of it, is of another build" \
		"$name: a shared file of another build is refused, and named"
	rm common
done
done_testing
