/*
 * containers.cc - elements of what C++'s library has, and calls, which there
 * are none of, for tests/e2e/gdb_classes.t
 *
 * The cases are beside it, in containers.cases.
 */
#include <array>
#include <cstdio>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct Item {
	int id;
	std::string name;
};

static std::string text = "short", longer(40, 'L');
static std::string_view view = "viewed";
static std::vector<int> numbers{4, 5, 6};
static std::vector<Item> items{{1, "one"}, {2, "two"}};
static std::vector<std::vector<int>> nested{{1}, {2, 3}};
static std::vector<bool> bits{true, false};
static std::array<int, 3> fixed{7, 8, 9};
static std::deque<int> queue;
static std::deque<Item> item_queue;
static std::map<int, int> map{{1, 2}};
static std::pair<int, long> pair{1, 2};
static void *untyped = &pair;
static std::vector<int> &reference = numbers;
static int index = 2;

int main()
{
	for (int i = 0; i < 1000; i++)
		queue.push_back(i);
	for (int i = 0; i < 300; i++)
		queue.pop_front();
	queue.push_front(-1);
	for (int i = 0; i < 40; i++)
		item_queue.push_back({i, std::to_string(i)});
	__asm__ volatile("" : : "r"(&untyped), "r"(&index) : "memory");
	__asm__ volatile(""
			 :
			 : "r"(&text), "r"(&longer), "r"(&view), "r"(&numbers),
			   "r"(&items), "r"(&nested), "r"(&bits), "r"(&fixed),
			   "r"(&queue), "r"(&item_queue), "r"(&map), "r"(&pair)
			 : "memory");
	__asm__ volatile("nop"); /* here */
	std::printf("%d %zu\n", reference[1], queue.size());
	return 0;
}
