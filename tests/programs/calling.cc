/*
 * calling.cc - calls a function in each way in which code can call one, and
 * allocates memory, and counts both
 *
 * Flags: -O2 -fno-ipa-icf
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#define APART __attribute__((noinline, noclone))

static volatile int sink;

extern "C" {
APART int callee(int x)
{
	sink = sink + x;
	return sink + x;
}

APART int other(int x)
{
	sink = sink - x;
	return sink;
}

APART int direct(int x)
{
	return callee(x) + callee(x + 1);
}

APART int tail(int x)
{
	sink = sink + 1;
	return callee(x);
}

APART int tail_if(int x)
{
	if (x & 1)
		return callee(x);
	sink = sink - 3;
	return 7;
}

APART int indirect(int (*f)(int), int x)
{
	return f(x) * 2;
}

APART int indirect_tail(int (*f)(int), int x)
{
	return f(x);
}
}

struct shape {
	virtual int area(int x) = 0;
	virtual ~shape() = default;
};
struct square : shape {
	int area(int x) override;
};
struct circle : shape {
	int area(int x) override;
};

APART int square::area(int x)
{
	return x * x + sink;
}

APART int circle::area(int x)
{
	return x * 3 + sink;
}

extern "C" APART int draw(shape *which, int x)
{
	return which->area(x) + 1;
}

extern "C" APART void *keep(void *p)
{
	asm volatile("" : "+r"(p)::"memory");
	return p;
}

/* Allocates in seven ways. reallocarray() goes on to realloc(), new[] to new,
 * new to malloc(), and realloc() of a null pointer to malloc(). */
extern "C" APART int heap(int n)
{
	void *p = keep(malloc(n));
	void *q = keep(realloc(keep(nullptr), n));
	void *aligned = nullptr;
	char *array;

	p = keep(realloc(p, 4 * n));
	p = keep(reallocarray(p, 8, n));
	free(p);
	free(q);
	free(keep(calloc(n, 2)));
	if (posix_memalign(&aligned, 64, 64) == 0)
		free(keep(aligned));
	array = static_cast<char *>(keep(new char[n]));
	delete[] array;
	delete static_cast<int *>(keep(new int));
	return 8;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100, if_odd = 0, by_pointer = 0;
	int by_tail_pointer = 0, squares = 0, allocated = 0, duplicated = 0;
	square a_square;
	circle a_circle;

	for (int i = 0; i < rounds; i++) {
		direct(i);
		tail(i);
		tail_if(i);
		if_odd += i & 1;
		indirect(i % 3 ? callee : other, i);
		by_pointer += i % 3 != 0;
		indirect_tail(i % 5 ? callee : other, i);
		by_tail_pointer += i % 5 != 0;
		draw(i % 7 ? static_cast<shape *>(&a_square) : &a_circle, i);
		squares += i % 7 != 0;
		allocated += heap(i + 100);
		free(keep(strdup("text")));
		duplicated++;
	}
	printf("rounds %d\nif_odd %d\nby_pointer %d\nby_tail_pointer %d\n",
	       rounds, if_odd, by_pointer, by_tail_pointer);
	printf("squares %d\nallocated %d\nduplicated %d\n", squares, allocated,
	       duplicated);
	return 0;
}
