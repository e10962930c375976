/*
 * tails_virtual.cc - tail calls of virtual functions, and exceptions
 *
 * Flags: -O2 -fno-reorder-blocks-and-partition
 *
 * Shape::area() jumps to a virtual function, of three classes in turn. The one
 * of the third throws every fourth time. risky() jumps to thrower(), which
 * throws every third time, and is called by itself, too.
 */
#include <cstdio>

#define APART __attribute__((noinline, noclone, noipa))

static unsigned long area_calls, area_lost, risky_calls, risky_lost,
	thrower_calls, thrower_lost;

struct Shape {
	virtual long measure(long n) = 0;
	virtual ~Shape() = default;
	APART long area(long n);
};

APART long Shape::area(long n)
{
	area_calls++;
	return measure(n + 1);
}

struct Square : Shape {
	APART long measure(long n) override
	{
		return n * n;
	}
};

struct Line : Shape {
	APART long measure(long n) override
	{
		return n;
	}
};

struct Point : Shape {
	APART long measure(long n) override
	{
		if (n % 4 == 0) {
			area_lost++;
			throw n;
		}
		return 0;
	}
};

APART long thrower(long n)
{
	thrower_calls++;
	if (n % 3 == 0) {
		thrower_lost++;
		throw n;
	}
	return n;
}

APART long risky(long n)
{
	risky_calls++;
	risky_lost += n % 3 == 0;
	return thrower(n);
}

int main()
{
	Square square;
	Line line;
	Point point;
	Shape *volatile shapes[] = {&square, &line, &point};
	long sum = 0;

	for (long i = 0; i < 120; i++) {
		try {
			sum += shapes[i % 3]->area(i);
		} catch (long n) {
			sum -= n;
		}
		try {
			sum += risky(i);
		} catch (long n) {
			sum -= n;
		}
		try {
			sum += thrower(i + 1);
		} catch (long n) {
			sum -= n;
		}
	}
	std::printf("area %lu\narea_lost %lu\nrisky %lu\nrisky_lost %lu\n"
		    "thrower %lu\nthrower_lost %lu\nsum %ld\n",
		    area_calls, area_lost, risky_calls, risky_lost,
		    thrower_calls, thrower_lost, sum);
	return 0;
}
