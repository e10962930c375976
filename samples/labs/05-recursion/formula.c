/*
 * formula.c - evaluates a formula for several values of x
 *
 * The formula is a tree. Its leaves are numbers and x; its inner nodes are
 * sums, products and powers. evaluate() calls itself, and multiply() and
 * power() call it again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 8, ROUNDS = 100, DIGITS = 40, MODULUS = 65521 };

enum kind { NUMBER, X, SUM, PRODUCT, POWER };

struct formula {
	enum kind kind;
	unsigned exponent;   /* of a power */
	char digits[DIGITS]; /* of a number */
	struct formula *left, *right;
};

static struct formula storage[1 << (DEPTH + 1)];
static unsigned used;
static uint64_t random_state = 11;

static unsigned random_below(unsigned bound)
{
	random_state =
		random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % bound;
}

static struct formula *make(unsigned depth)
{
	struct formula *formula = &storage[used++];
	unsigned number = random_below(10);

	if (depth == 0) {
		formula->kind = number < 4 ? X : NUMBER;
		for (unsigned i = 0; i < DIGITS; i++)
			formula->digits[i] = (char)('0' + random_below(10));
		return formula;
	}
	formula->kind = number < 5 ? SUM : number < 9 ? PRODUCT : POWER;
	formula->left = make(depth - 1);
	if (formula->kind == POWER)
		formula->exponent = 5000 + random_below(5000);
	else
		formula->right = make(depth - 1);
	return formula;
}

unsigned evaluate(const struct formula *formula, unsigned x);

unsigned multiply(const struct formula *formula, unsigned x)
{
	return evaluate(formula->left, x) * evaluate(formula->right, x) %
	       MODULUS;
}

unsigned power(const struct formula *formula, unsigned x)
{
	unsigned base = evaluate(formula->left, x), result = 1;

	for (unsigned i = 0; i < formula->exponent; i++)
		result = result * base % MODULUS;
	return result;
}

unsigned evaluate(const struct formula *formula, unsigned x)
{
	unsigned value = 0;

	if (formula->kind == SUM)
		value = evaluate(formula->left, x) +
			evaluate(formula->right, x);
	else if (formula->kind == PRODUCT)
		value = multiply(formula, x);
	else if (formula->kind == POWER)
		value = power(formula, x);
	else if (formula->kind == X)
		value = x;
	else
		for (unsigned i = 0; i < DIGITS; i++)
			value = 10 * value +
				(unsigned)(formula->digits[i] - '0');
	return value % MODULUS;
}

int main(void)
{
	struct formula *formula = make(DEPTH);
	unsigned sum = 0;

	for (unsigned x = 0; x < ROUNDS; x++)
		sum += evaluate(formula, x);
	printf("The values of %d rounds add up to %u.\n", ROUNDS, sum);
	return 0;
}
