/* labels.c - values of every kind by which the test tests/e2e/labels.t splits
 */
#include <stdbool.h>
#include <stdio.h>

typedef struct {
	int (*call)(int);
	bool truth;
	char letter;
	float ratio;
	__int128 wide;
	long count;
} kind_t;

__attribute__((noinline)) static int fn_one(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

__attribute__((noinline)) static int fn_two(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 2;
}

__attribute__((noinline)) static int work(const kind_t *kind)
{
	__asm__ volatile("" : : "r"(kind) : "memory");
	return kind->call((int)kind->count);
}

int main(void)
{
	static const kind_t kinds[] = {
		{fn_one, true, 'A', 1.1f, (__int128)1 << 100, 7},
		{fn_two, false, '\n', 2.5f, -3, 8}};
	int sum = 0;

	for (int i = 0; i < 30; i++)
		sum += work(&kinds[i % 3 == 0]);
	printf("%d\n", sum);
	return 0;
}
