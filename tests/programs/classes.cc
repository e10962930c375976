/*
 * classes.cc - a value of every kind that C++ adds, for tests/e2e/gdb_print.t
 *
 * The cases are beside it, in classes.cases.
 */
#include <cstdint>
#include <cstdio>

int limit = 40;

namespace shape
{

enum class Kind : unsigned char { Circle, Square = 7 };
enum Color { Red, Green, Blue };

static long drawn = 3;

struct Named {
	const char *name;
	bool visible;
	static int count;
};

struct Sized {
	double width, height;
};

template <typename T, int N> struct Buffer {
	T data[N];
	unsigned used;
	static constexpr int size = N;
};

struct Empty {
};

namespace deep
{
struct Leaf {
	char32_t wide;
	wchar_t w;
	char16_t u;
};
} // namespace deep

class Shape : public Named, public Sized
{
      public:
	Kind kind;
	Color color;
	int limit;
	Buffer<int, 4> points;
	Buffer<char, 8> label;
	deep::Leaf leaf;
	Empty empty;
	int &count_of;
	Shape *parent;

	Shape(const char *name, int &counter, Shape *up)
		: Named{name, true}, Sized{1.5, -2}, kind(Kind::Square),
		  color(Green), limit(12), points{{1, 2, 3, 4}, 3},
		  label{{'a', 'b', 'c'}, 3}, leaf{U'\u20ac', L'w', u'x'},
		  empty(), count_of(counter), parent(up)
	{
	}
	int area(int scale, const Sized &other);
};

int Named::count = 2;

struct Root {
	int root;
	virtual ~Root() = default;
};

struct Left : virtual Root {
	int left;
};

struct Right : virtual Root {
	int right;
};

struct Diamond : Left, Right {
	int own;
};

__attribute__((noinline)) int Shape::area(int scale, const Sized &other)
{
	int local = scale * 2;
	Buffer<int, 4> &ref = points;
	Shape *self = this;
	bool big = width * scale > 2;
	char letter = 'q';
	int &&moved = scale + 1;
	Sized copy = other;
	const Named *named = this;
	Kind other_kind = Kind::Circle;
	static int calls = 5;
	static Diamond diamond;
	Left *slanted = &diamond;
	diamond.root = 1;
	diamond.left = 2;
	diamond.right = 3;
	diamond.own = 4;
	auto lambda = [local, &letter](int x) { return x + local + letter; };

	__asm__ volatile(""
			 :
			 : "r"(&copy), "r"(&letter), "r"(&moved), "r"(slanted)
			 : "memory");
	__asm__ volatile("nop" : : "r"(local), "r"(big)); /* here */
	calls++;
	return (int)(self->width * local + copy.height) + ref.data[1] +
	       lambda(moved) + named->visible + (int)other_kind;
}

} // namespace shape

using Figure = shape::Shape;

int main()
{
	int counter = 77;
	Figure outer("outer", counter, nullptr);
	Figure inner("inner", counter, &outer);
	shape::Sized other{10, 20};

	std::printf("%d %ld\n", inner.area(3, other) + limit, shape::drawn);
	return 0;
}
