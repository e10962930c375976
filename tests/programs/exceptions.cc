/*
 * exceptions.cc - C++: scopes, overloads, templates, frames left by a throw
 */
#include <cstdio>
#include <stdexcept>

namespace shop
{
struct Order {
	int number;
	explicit Order(int n);
	~Order();
	int price(int discount) const;
	int price(const char *code) const;
};
} // namespace shop

static unsigned long orders, destroyed, by_number, by_code, thrown, caught,
	parsed, returned;

shop::Order::Order(int n) : number(n)
{
	orders++;
}

shop::Order::~Order()
{
	destroyed++;
}

__attribute__((noinline)) int shop::Order::price(int discount) const
{
	by_number++;
	return number - discount;
}

__attribute__((noinline)) int shop::Order::price(const char *code) const
{
	by_code++;
	return number - code[0];
}

template <typename T> __attribute__((noinline)) T parse(T value)
{
	parsed++;
	if (static_cast<int>(value) % 4 == 3) {
		thrown++;
		throw std::runtime_error("three");
	}
	returned++;
	return value;
}

__attribute__((noinline)) int handle(int i)
{
	shop::Order order(i);

	return order.price(1) + order.price("a") + parse<int>(i) +
	       static_cast<int>(parse<long>(i * 2));
}

int main()
{
	int sum = 0;

	for (int i = 0; i < 400; i++) {
		try {
			sum += handle(i);
		} catch (const std::runtime_error &) {
			caught++;
		}
	}
	std::printf("orders %lu\ndestroyed %lu\nnumber %lu\ncode %lu\n"
		    "parsed %lu\nreturned %lu\nthrown %lu\ncaught %lu\n"
		    "sum %d\n",
		    orders, destroyed, by_number, by_code, parsed, returned,
		    thrown, caught, sum);
	return 0;
}
