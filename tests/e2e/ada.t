#!/usr/bin/env bash
# Subprograms of Ada have the names of the source in lists, tables, stacks and profiles,
# and are found by them, as in gdb.
# tier: full
# covers: debuginfo/symbols debuginfo/frames session/names
. "$(dirname "$0")/../lib.sh"

if ! command -v gnatmake >/dev/null; then
	pass 'Ada # SKIP no gnatmake'
	done_testing
fi
cat >tasks.ads <<'END'
package Tasks is
   function Check (N : Integer) return Integer;
   function Check (N : Float) return Float;
   procedure Step (N : Integer);
   package Inner is
      procedure Sum (N : Integer);
   end Inner;
end Tasks;
END
cat >tasks.adb <<'END'
package body Tasks is
   Total : Integer := 0;
   pragma Volatile (Total);

   function Check (N : Integer) return Integer is
   begin
      Total := Total + N;
      return Total;
   end Check;

   function Check (N : Float) return Float is
   begin
      Total := Total + 1;
      return N * 2.0;
   end Check;

   procedure Step (N : Integer) is
   begin
      Total := Check (N) mod 7;
      if Check (1.5) > 100.0 then
         Total := 0;
      end if;
   end Step;

   package body Inner is
      procedure Sum (N : Integer) is
      begin
         Total := Total + N;
      end Sum;
   end Inner;
end Tasks;
END
cat >demo.adb <<'END'
with Tasks;
procedure Demo is
begin
   for I in 1 .. 40 loop
      Tasks.Step (I);
      Tasks.Inner.Sum (I mod 2);
   end loop;
end Demo;
END
gnatmake -q -g -O1 demo.adb -cargs -fno-inline || exit 2
# A C program has no names of Ada, however it writes its own.
cat >list.c <<'END'
__attribute__((noipa)) int list__add(int n) { return n + 1; }
int main(void) { return list__add(-1); }
END
gcc -g -O1 -o list list.c

# listed PATTERN: prints the names of the functions that the pattern means
listed() {
	try perftool -n -q -e "list functions $1" ./demo
	sed -n 's/^ *[0-9]* *demo *\([^ ]*\).*/\1/p' <<<"$out" | paste -sd' '
}
is "$(listed 'tasks.*')" 'tasks.check tasks.check__2 tasks.inner.sum tasks.step' \
	'a pattern finds the subprograms of a package'
is "$(listed Tasks.Check)" 'tasks.check tasks.check__2' 'a name finds those of the same name'
is "$(listed tasks__step) $(listed tasks.inner.sum) $(listed demo)" \
	'tasks.step tasks.inner.sum demo' \
	'linked names, names of inner packages and of main procedures are found'
times Tasks.Step Tasks.Check tasks.inner.sum Demo -- ./demo
is "$status $(json '[l["count"] for l in t["legs"]]')" '0 40 40 40 40 1' \
	'they are timed'
is "$(gdb_count tasks.step ./demo) $(gdb_count tasks.inner.sum ./demo)" '40 40' \
	'gdb finds them by these names, too'
batch 'time tasks.*' -- ./demo
is "$(json 'sorted((l["name"], l["count"]) for l in t["legs"])')" \
	"('tasks.check__2', 40) ('tasks.inner.sum', 40) ('tasks.step', 40) ('tasks__check', 40)" \
	'a name that means several is not the name of one of them'
try perftool -n -q -e 'break tasks.inner.sum' -e run -e where ./demo
like "$out" '#0 .* in tasks.inner.sum \(n=1\) at tasks.adb:[0-9]+.*#1 .* in demo \(\) at demo.adb:6' \
	'stacks have the names of the source'
try perftool -n -q -e 'profile functions tasks.*' -e 'set format json' -e run \
	-e 'print functions > functions' ./demo
is "$(json 'sorted((r["function"], r["calls"]) for r in t["functions"])' functions)" \
	"('tasks.check', 40) ('tasks.check__2', 40) ('tasks.inner.sum', 40) ('tasks.step', 40)" \
	'profiles have the names of the source'
try perftool -n -q -e 'list functions list__add' -e 'list functions list.*' ./list
like "$out" ' list__add at ' 'a function of a C program keeps its name'
like "$err" 'no function is named list\.\*' 'a pattern of Ada means nothing in a C program'
done_testing
