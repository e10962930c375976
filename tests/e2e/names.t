#!/usr/bin/env bash
# One function among many of the same name: however the name is written, the
# places are the same as gdb's, and they are reached as often.
# tier: core
# covers: debuginfo/symbols session/names
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library
. "$ROOT/tests/gdb.sh"

cat >shop.cc <<'END'
#include "stock.h"

#include <cstdio>
#include <string>
#include <vector>

#define OUT __attribute__((noinline, noclone))

volatile int sink;

namespace shop
{
typedef Item Thing;
template <class T, int Size = 64> class Store
{
	std::vector<T> items;

      public:
	OUT int add(const T &item)
	{
		items.push_back(item);
		return (int)items.size();
	}
	OUT int add(const std::string &name, unsigned price)
	{
		T item{(int)price};
		return add(item) + (int)name.size();
	}
	OUT int cost(const std::string &what) const
	{
		int sum = 0;
		for (auto &item : items)
			sum += item.price * (int)what.size();
		return sum;
	}
	template <class F> OUT int each(F f)
	{
		int sum = 0;
		for (auto &item : items)
			sum += f(item.price);
		return sum;
	}
	OUT operator long() const
	{
		return (long)items.size();
	}
};
static inline __attribute__((always_inline)) int now(int n)
{
	sink = n;
	return n + 1;
}
} // namespace shop
namespace sh = shop;

OUT int over(unsigned n)
{
	return (int)n;
}
OUT int over(long n)
{
	return (int)n;
}
OUT int over(char *s)
{
	return *s;
}
OUT int over(const char *s)
{
	return *s;
}

struct Left {
	int a = 1;
	virtual OUT int left(int n)
	{
		return a + n;
	}
};
struct Right {
	int b = 2;
	virtual OUT int right(int n)
	{
		return b + n;
	}
};
struct Both : Left, Right {
	OUT int right(int n) override
	{
		return a * n;
	}
};

int main()
{
	shop::Store<shop::Item> store;
	shop::Store<shop::Item, 8> small;
	shop::Thing thing{3};
	char text[] = "abc";
	Both both;
	Right *right = &both;
	int sum = 0;
	auto twice = [&](int n) __attribute__((noinline)) { return n + sum; };

	for (int i = 0; i < 5; i++) {
		sum += store.add(thing) + small.add("ab", 3u);
		sum += store.cost("x") + store.each(twice) + (int)(long)store;
		sum += over(1u) + over(2L) + over(text) + over("d");
		sum += right->right(i) + both.left(i) + shop::now(i);
		sum += shop::twice(i);
	}
	printf("%d\n", sum);
	return 0;
}
END
cat >stock.h <<'END'
namespace shop
{
struct Item {
	int price;
};
template <class T> __attribute__((noinline)) T twice(T n)
{
	return n + n;
}
} // namespace shop
END

# Names that gdb knows too.
locs=('shop::Store<shop::Item, 64>::add(shop::Item const&)'
	'add(shop::Item const&)' 'add(const shop::Item &)'
	'shop::Store<shop::Item, 8>::add'
	'shop::Store<shop::Item, 8>::add(std::string const&, unsigned)'
	'shop::Store::add' 'Store::cost(std::string const&) const'
	'shop::Store<shop::Item, 64>::each' 'Store::each' add cost
	'over(unsigned)' 'over(unsigned int)' 'over(long int)' 'over(char*)'
	'over(char *)' 'over(const char *)' 'over(char const*)' over
	'main::{lambda(int)#1}::operator()'
	'Store::operator long'
	'Both::right' 'Both::right(int)' 'Right::right' 'shop::now'
	'sh::twice' 'sh::Store::cost' 'shop::twice<int>' 'twice<int>(int)'
	'*main' '*over(char*)' main ::over 'shop::over')
for how in -O0 -O2; do
	g++ -g $how -o "shop$how" shop.cc
	mapfile -t ours < <(reached "./shop$how" "${locs[@]}")
	mapfile -t theirs < <(gdb_reached "./shop$how" "${locs[@]}")
	for i in "${!locs[@]}"; do
		is "${ours[i]-nothing}" "${theirs[i]-nothing}" \
			"$how: ${locs[i]} has the places and counts of gdb"
	done
done

# names that the tool knows and gdb does not
is "$(reached ./shop-O0 'add(const shop::Thing&)' \
	'Store::cost(const std::string &)' 'Store<shop::Item,64>::add' \
	'int shop::Store<shop::Item, 64>::cost(std::string const&)' \
	'sh::now(int)' 'main::{lambda(int)#1}::operator()(int) const' \
	::add)" '2 10
1 5
1 5
1 5
1 5
1 15
0 0' 'names may have typedefs and return types, and lack qualifiers'

# a name that is listed can be typed
printf '%s\n' 'break shop::*' 'list breaks' | perftool --pending -n -q ./shop-O2 |
	sed -n 's/^ *0x[0-9a-f]* \(.*\) [^ ]*:[0-9]* in shop-O2$/\1/p' |
	grep -v '^inlined into' | sort -u >names
mapfile -t names <names
ok 'list breaks lists the names of functions' test "${#names[@]}" -gt 5
for name in "${names[@]}"; do
	printf '%s\n' "break $name" | perftool --pending -n ./shop-O2 >out 2>&1
	is "$(grep -c pending out)" 0 "a listed name can be typed: $name"
done

printf '%s\n' 'break over(float)' | perftool --pending -n ./shop-O0 >out 2>&1
is "$(head -n 1 out)" 'Breakpoint #1: over(float) (pending: no function over(float) in shop-O0, libstdc++.so.6, libgcc_s.so.1, libc.so.6, libm.so.6, ld-linux-x86-64.so.2 (of that name: over(unsigned int), over(long), over(char*), over(char const*))).' \
	'a message lists the overloads of a name that was not found'

# A function belongs to the file in which it is written, even if other code is
# inlined at its beginning, and is shown there.
line=$(grep -n 'int cost' shop.cc | cut -d: -f1)
is "$(reached ./shop-O2 shop.cc:cost shop.cc:add stock.h:twice shop.cc:now)" \
	"$(reached ./shop-O2 cost add twice now@shop-O2)" \
	'FILE:FUNC is the function that is written in the file'
is "$(reached ./shop-O2 stl_vector.h:add shop.cc:twice)" $'0 0\n0 0' \
	'FILE:FUNC is no function that is written in another file'
printf '%s\n' 'break entry cost' | perftool --pending -n ./shop-O2 >out 2>&1
is "$(head -n 1 out)" "Breakpoint #1: entry of cost, shop.cc:$line." \
	'the entry of a function is shown at the line of the function'

# types of templates, as each of the two compilers writes their names
cat >types.cc <<'END'
#include <string>
#include <utility>

std::pair<int, long> one;
std::pair<unsigned long, const char *> two;

int main()
{
	return one.first + (int)two.first;
}
END
for compiler in g++ clang++; do
	$compiler -g -O0 -o types types.cc
	is "$(perftool --pending -n -q -e 'break main' -e run \
		-e 'evaluate sizeof(std::pair<int,long>)' \
		-e 'evaluate sizeof(std::pair<int, long int>)' \
		-e 'evaluate sizeof(std::pair<unsigned long,char const*>)' \
		-e 'evaluate sizeof(std::pair<long unsigned int, const char *>)' \
		-e 'evaluate (std::pair<int,long>*)0' -e kill ./types 2>&1 |
		tail -n 5)" '16
16
16
16
(std::pair<int, long> *) 0x0' \
	"$compiler: evaluate knows types of templates by each form of their names"
done
done_testing
