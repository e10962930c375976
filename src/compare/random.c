/*
 * random.c - a random generator of which the same seed always gives the same
 * numbers, and what is drawn with it
 */
#include <math.h>

#include "perftool/compare.h"

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

/* splitmix64, by which the authors of xoshiro fill its state. */
void random_seed(struct random *random, uint64_t seed)
{
	random->resamples = RESAMPLES;
	for (int i = 0; i < 4; i++) {
		uint64_t x = seed += 0x9e3779b97f4a7c15;

		x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
		x = (x ^ x >> 27) * 0x94d049bb133111eb;
		random->state[i] = x ^ x >> 31;
	}
}

uint64_t random_next(struct random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

size_t random_below(struct random *random, size_t limit)
{
	return (size_t)(((unsigned __int128)random_next(random) * limit) >> 64);
}

double random_unit(struct random *random)
{
	return ((double)(random_next(random) >> 12) + 0.5) * 0x1p-52;
}

double random_normal(struct random *random)
{
	double radius = sqrt(-2 * log(random_unit(random)));

	return radius * cos(2 * M_PI * random_unit(random));
}

double random_poisson(struct random *random, double mean)
{
	double limit, product;
	int count = -1;

	if (mean > 50) {
		double many = round(mean + sqrt(mean) * random_normal(random));

		return many < 0 ? 0 : many;
	}
	limit = exp(-mean);
	product = 1;
	do {
		product *= random_unit(random);
		count++;
	} while (product > limit);
	return count;
}

/* Marsaglia and Tsang, "A simple method for generating gamma variables". */
double random_gamma(struct random *random, double shape)
{
	double d, c;

	if (shape < 1)
		return random_gamma(random, shape + 1) *
		       pow(random_unit(random), 1 / shape);
	d = shape - 1.0 / 3;
	c = 1 / sqrt(9 * d);
	for (;;) {
		double x = random_normal(random), v = 1 + c * x;

		if (v <= 0)
			continue;
		v = v * v * v;
		if (log(random_unit(random)) <
		    x * x / 2 + d - d * v + d * log(v))
			return d * v;
	}
}
