#!/usr/bin/env bash
# *ADDRESS as a place. Before the program runs, ADDRESS is an address in the
# file; after that, ADDRESS is an address in the process. The test also uses
# functions that no symbol names.
# tier: core
# covers: probe/request debuginfo/symbols session/names
. "$(dirname "$0")/../lib.sh"

cat >work.c <<'END'
#include <stdio.h>

static volatile int sink;

static __attribute__((noinline)) int work(int n)
{
	sink += n;
	if (n % 3 == 0)
		return sink;
	sink ^= n;
	return n * 2;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 12; i++)
		sum += work(i);
	printf("%d\n", sum);
	return 0;
}
END
gcc -g -O2 work.c -o pie
gcc -g -O2 -no-pie work.c -o nopie
for how in pie nopie; do
	strip -o "$how-stripped" "$how"
done
cat >bare.s <<'END'
	.text
	.globl _start
_start:
	mov $30, %ebx
1:	call bare
	dec %ebx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
bare:
	nop
	ret
END
gcc -nostdlib -static bare.s -o bare

# address_of PROGRAM SYMBOL: prints the address that the file has for the symbol
address_of() {
	nm "$1" | sed -n "s/^0*\([0-9a-f]*\) . $2\$/0x\1/p"
}

for how in pie nopie pie-stripped nopie-stripped; do
	at=$(address_of "${how%-stripped}" work)
	inside="*$(printf '0x%x' $((at + 4)))"
	is "$(batch "break *$at if 1" "break entry *$at if 1" \
		"break exit $inside if \$ret > 0" "time $inside" -- "./$how")" '' \
		"$how: batch mode accepts places of the form *ADDRESS"
	is "$(json '[n["count"] for n in t["nodes"]]')" '12 12 11 12 12' \
		"$how: nodes at addresses count every hit"
	is "$(json '[l["count"] for l in t["legs"]]')" 12 "$how: the leg of time *ADDRESS counts every call"
	name=work
	[ "$how" = "${how%-stripped}" ] || name=$how+$at
	is "$(json 'node(4)["function"], node(4)["location"]')" \
		"$name $inside" "$how: a node has the name of the function and its address"
	# shellcheck disable=SC2016
	is "$(json '[hex(int(n["addresses"][0], 16) & 0xfff) for n in t["nodes"][:2]]')" \
		"$(printf '0x%x 0x%x' $((at & 0xfff)) $((at & 0xfff)))" \
		"$how: nodes are at the addresses that were given"
	try perftool -n -q -e "time $inside" -e run -e run -e 'save tables t.json' \
		"./$how"
	is "$(json '[l["count"] for l in t["legs"]]')" 24 \
		"$how: *ADDRESS means the same instruction in the next run"
done

# While the program runs, an address is an address in the process, and a hint
# says so to users who have taken the address from the file. Without address
# randomization, the addresses in the process are the same in each run.
file=$(address_of pie work)
try setarch -R perftool -n -q -e 'break main' -e run -e 'evaluate &work' \
	-e kill ./pie
at=$(grep -o '0x[0-9a-f]*' <<<"$out" | tail -n 1)
inside="*$(printf '0x%x' $((at + 4)))"
try setarch -R perftool -n -q -e 'break main' -e run -e "time $inside" \
	-e "break $inside@pie" -e continue -e 'save tables t.json' ./pie
is "$(json '[l["count"] for l in t["legs"]], node(2)["function"]')" \
	'[12] work' 'while the program runs, *ADDRESS is an address in the process'
try setarch -R perftool -n -q -e 'break main' -e run -e "break *$file" \
	-e "break *$file@pie" -e 'list breaks' -e kill ./pie
like "$out" "nothing is mapped at \\*$file in [^;]*; for an address in the file, write \\*$file@pie\\)" \
	'an address that is not mapped gets a hint to write *ADDRESS@pie'
like "$out" "3  \\*$file@pie, work.c:7" '*ADDRESS@pie is an address in the file'
# After the run, the tool still accepts addresses of the process.
try setarch -R perftool -n -q -e 'break main' -e run -e kill -e "time *$at" \
	-e 'delete break 1' -e run -e 'save tables t.json' ./pie
is "$(json '[l["count"] for l in t["legs"]]')" 12 \
	'after the run, an address of the ended process is accepted'

# ---- the names of functions that no symbol names are places ----

at=$(address_of pie work)
name="*$at@pie-stripped" known="pie-stripped+$at"
try perftool -n -q -e "time *$at" -e run -e 'save tables t.json' ./pie-stripped
is "$(json '[(l["name"], l["from_place"], l["to_place"]) for l in t["legs"]]')" \
	"('$name', '$name', 'return $name')" 'the name of a leg has the module of an address'
is "$(json '{n["function"] for n in t["nodes"]}')" "{'$known'}" \
	'tables of nodes have the module and the address of the function'

# counts COMMAND...: gives the commands while a process runs, and prints what the
# legs and the nodes have counted then
counts() {
	local commands=()

	for command in "$@"; do
		commands+=(-e "$command")
	done
	try perftool -n -q -e 'break __libc_start_main' -e run "${commands[@]}" \
		-e 'collect nodes' -e 'monitor on' -e continue -e 'save tables t.json' \
		./pie-stripped
	[ "$status" = 0 ] || printf '%s: ' "$err"
	json '[l["count"] for l in t["legs"]], [n["count"] for n in t["nodes"] if n["count"]]'
}
for place in "$name" "$known" "$known@pie-stripped"; do
	is "$(counts "time $place")" '[12] [12, 12]' "time $place"
	is "$(counts "add leg $place return $place")" '[12] [12, 12]' "add leg $place"
	is "$(counts "break $place if 1")" '[] [12]' "break $place"
	is "$(counts "break entry $place if 1" "break exit $place if \$ret > 0")" \
		'[] [12, 11]' "break entry $place, break exit $place"
	is "$(counts "break blocks $place if 1")" '[] [24]' "break blocks $place"
	is "$(counts "dyper setdetail item=$place value=true" \
		"dyper setdetail item=pie-stripped:$place value=true")" '[12] [12, 12]' \
		"SETDETAIL of $place, alone and as a method of its module"
	is "$(counts "dyper model name=m for.class=pie-stripped for.method=$place for.update=NEW for.patch.what=ENTER for.patch.mode=time" \
		'dyper instrument name=m insert=true')" '[12] [12, 12]' "INSTRUMENT of $place"
	try perftool -n -q -e "list functions $place" ./pie-stripped
	like "$out" " pie-stripped +\\$name\$" "list functions $place"
done
is "$(counts "break calls printf in pie-stripped+$(address_of pie main) if 1")" '[] [1]' \
	'break calls FUNC in MODULE+0xADDRESS'
second=$(objdump -d --no-show-raw-insn --start-address="$at" pie |
	sed -n 's/^ *\([0-9a-f]*\):.*/0x\1/p' | sed -n 2p)
is "$(counts "break *$at+$((second - at))@pie-stripped if 1")" '[] [12]' \
	'*ADDRESS+OFFSET is an address'
try perftool -n -q -e "time $name" -e run -e "print legs $name" \
	-e "expect leg(\"$name\").count == 12" ./pie-stripped
is "$status:$(grep -c '0\*.* -> 2 ' <<<"$out")" 0:1 'print legs and expect take the name'
fails_with 125 "no function is known at \\*0x10@pie-stripped" \
	'MODULE+0xADDRESS is the place of a function that is there' \
	perftool -n -q -e 'time pie-stripped+0x10' ./pie-stripped
# A function may have the name of its module.
sed 's/work/apart/' work.c >apart.c
gcc -g -O2 apart.c -o apart
try perftool -n -q -e 'break apart+0x0 if 1' -e 'list breaks' ./apart
like "$out" 'apart.0x0, apart.c:[0-9]* if 1' 'FUNC+OFFSET in a program of the same name'

# ---- code of which no function is known ----

is "$(nm bare | grep -c ' bare$')" 1 'the program has one symbol bare'
objcopy --strip-all bare nothing
at=$(address_of bare bare)
is "$(batch "break entry *$at if 1" "break *$at if 1" -- ./nothing
json '[n["count"] for n in t["nodes"]]')" '30 30' 'break entry *ADDRESS counts where no function is known'
try perftool -n ./nothing <<<"break exit *$at"
like "$err" "pending: no function is known at \\*$at in nothing" \
	'break exit *ADDRESS is pending where no function is known'
fails_with 125 "no function is known at \\*$at" 'time *ADDRESS fails where no function is known' \
	perftool -n -q -b -e "time *$at" ./nothing
try perftool -n ./nothing <<<'time *0x10'
like "$err" 'Leg 0: entry of \*0x10 \(pending: nothing is mapped at \*0x10' \
	'time *ADDRESS is pending where nothing is mapped'
done_testing
