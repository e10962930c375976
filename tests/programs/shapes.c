/*
 * shapes.c - a value of every kind that C has, for tests/e2e/gdb_print.t
 *
 * The cases are in shapes.cases, beside this file.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum color { RED, GREEN, BLUE = 5 };
enum flags { READ = 1, WRITE = 2, EXECUTE = 4 };
enum level { LOW = -1, NORMAL, HIGH };

struct point {
	short x;
	int y;
};

struct bits {
	unsigned low : 3;
	int high : 5;
	unsigned long wide : 40;
	enum color color : 4;
	_Bool flag : 1;
};

struct node {
	int id;
	char name[12];
	struct node *next;
	struct point at, corners[3];
	union {
		int as_int;
		float as_float;
	};
	struct {
		unsigned char r, g, b;
	};
	struct bits bits;
	enum color color;
	int (*handler)(int);
	double weights[4];
	const char *title;
};

typedef struct node node_t;
typedef unsigned int count_t;
typedef struct node *node_ptr;
typedef int (*binary_t)(int, char);

struct partly {
	long kept, lost;
	char last;
};

int limit = 30;
static long total = -7;
static const char *const titles[] = {"one", "two", "three"};
static struct point grid[2][3] = {{{1, 2}, {3, 4}, {5, 6}},
				  {{7, 8}, {9, 10}, {11, 12}}};
static int zeros[64], ramp[300];
static char blank[40];
static _Thread_local int mine = 11;

__attribute__((noinline)) int fn_twice(int x)
{
	__asm__ volatile("" : "+r"(x));
	return 2 * x;
}

__attribute__((noinline)) int fn_both(int x, char c)
{
	__asm__ volatile("" : "+r"(x));
	return x + c;
}

static node_t second = {
	.id = 2,
	.name = "second",
	.at = {-1, -2},
	.color = GREEN,
};

static struct node first = {
	.id = 1,
	.name = "first",
	.next = &second,
	.at = {3, 4},
	.corners = {{1, 1}, {1, 1}, {2, 2}},
	.as_float = 1.5f,
	.r = 10,
	.g = 200,
	.b = 'b',
	.bits = {5, -3, 0xabcdef0123, BLUE, true},
	.color = BLUE,
	.handler = fn_twice,
	.weights = {0.1, -2.5, 1e100, 0},
	.title = "a \"title\"\n",
};

__attribute__((noinline)) static int look(struct node *node, int n,
					  unsigned char c, double ratio,
					  struct point by_value,
					  const char *text)
{
	struct point local = {(short)(n * 2), n * 3};
	int numbers[5] = {n, n + 1, -n, 0, 7};
	unsigned long big = 0xfedcba9876543210;
	float single = (float)ratio / 3;
	long double wide = 0.1L;
	enum flags flags = READ | EXECUTE;
	enum level level = LOW;
	bool truth = n > 3;
	char word[8] = "word";
	signed char small = -5;
	unsigned short tags[3] = {1, 65535, 3};
	int *pointer = &numbers[1];
	int(*row)[5] = &numbers;
	long sum = 0;
	count_t count = 4000000000;
	node_ptr again = node;
	binary_t binary = fn_both;
	const uint8_t *bytes = (const uint8_t *)word;
	const char *const *const all = titles;
	volatile int *const fixed = &numbers[2];
	void *nothing = &total;
	struct partly partly = {n * 7, n * 11, 'p'};
	int vla[n], matrix[n - 3][n - 4];

	for (int i = 0; i < n; i++)
		sum += node->id * i + c;
	for (int i = 0; i < n; i++)
		vla[i] = i * i;
	for (int i = 0; i < n - 3; i++)
		for (int j = 0; j < n - 4; j++)
			matrix[i][j] = 10 * i + j;
	__asm__ volatile(""
			 :
			 : "r"(&local), "r"(&numbers), "r"(&word), "r"(&tags),
			   "r"(row), "r"(vla), "r"(matrix)
			 : "memory");
	__asm__ volatile("nop"
			 :
			 : "r"(sum), "m"(big), "r"(truth),
			   "r"(partly.kept)); /* here */
	mine += (int)sum;
	return fn_twice(n) + (int)(ratio + (double)single + (double)wide) +
	       (int)flags + level + small + *pointer + by_value.x + text[0] +
	       (int)count + node->id + again->id + binary(1, 'c') + bytes[0] +
	       all[0][0] + *fixed + (nothing != 0) + vla[1] + matrix[1][1];
}

int main(void)
{
	for (int i = 0; i < 300; i++)
		ramp[i] = i;
	strcpy(blank, "aaaaaaaaaaaaaaab");
	printf("%d %ld %s %d %d %d\n",
	       look(&first, 6, 'c', 0.75, (struct point){8, 9}, "text"), total,
	       titles[0], grid[0][0].y + zeros[3], limit, blank[0]);
	return 0;
}
