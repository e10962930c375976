/*
 * casts.cc - classes with several bases, and what can be cast to what, for
 * tests/e2e/gdb_classes.t
 *
 * The cases are beside it, in casts.cases.
 */
#include <cstdio>

struct Base {
	int first = 1, both = 100;
	virtual ~Base() = default;
	virtual int value(int add)
	{
		return first + add;
	}
};

struct Second {
	int second = 2, both = 200;
	virtual ~Second() = default;
};

struct Plain {
	int plain = 7;
	int doubled() const
	{
		return 2 * plain;
	}
};

struct Shared {
	int shared = 55;
	virtual ~Shared() = default;
};

struct Mid : virtual Shared {
	int mid = 4;
};

struct Other : virtual Shared {
	int other = 5;
};

struct Derived : Base, Second, Plain, Mid, Other {
	int own = 3;
	int &refers;
	const Plain &constant;
	int Derived::*member = &Derived::own;
	int Plain::*none = nullptr;
	int (Base::*method)(int) = &Base::value;
	int (Derived::*adjusted)(int) = &Base::value;

	Derived(int &x, const Plain &y) : refers(x), constant(y)
	{
	}
};

struct Last : Derived {
	int last = 6;
	using Derived::Derived;
};

struct Twice1 : Plain {
	int one = 1;
};
struct Twice2 : Plain {
	int two = 2;
};
struct Twice : Twice1, Twice2 {
	int three = 3;
};

static int number = 0x41424344;
static long words[2] = {1, 2};
static Plain lonely;
static Last object(number, lonely);
static Derived derived(number, lonely);
static Twice twice;
static int (Plain::*plain_method)() const = &Plain::doubled;
static int (Base::*no_method)(int);
static Base *base = &object, *no_base;
static Second *second = &object;
static Plain *plain = &object;
static Mid *mid = &object;
static Shared *shared = &object, *shared_derived = &derived;
static Derived *pointer = &object;
static Base &reference = object;
static Second &second_reference = object;
static const Derived &constant = object;
static Derived *const *twofold = &pointer;

int main()
{
	__asm__ volatile(""
			 :
			 : "r"(&base), "r"(&no_base), "r"(&second), "r"(&plain),
			   "r"(&mid), "r"(&shared), "r"(&pointer),
			   "r"(&shared_derived), "r"(&twofold), "r"(&twice),
			   "r"(&words), "r"(&plain_method), "r"(&no_method)
			 : "memory");
	__asm__ volatile("nop"); /* here */
	std::printf("%d %d %d\n", reference.value(1), second_reference.both,
		    constant.own);
	return 0;
}
