/*
 * distributions.c - the normal distribution and Student's
 */
#include <math.h>

#include "perftool/compare.h"

double normal_below(double x)
{
	return erfc(-x / M_SQRT2) / 2;
}

/* The continued fraction of the incomplete beta function, by the method of
 * Lentz. It converges where x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), result;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	result = d;
	for (int m = 1; m < 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + even / c;
		c = fabs(c) < tiny ? tiny : c;
		result *= d * c;
		d = 1 + odd * d;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = 1 + odd / c;
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		result *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return result;
}

/* The regularized incomplete beta function. */
double beta_below(double a, double b, double x)
{
	double front;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_below(double x, double freedom)
{
	double tail =
		beta_below(freedom / 2, 0.5, freedom / (freedom + x * x)) / 2;

	return x > 0 ? 1 - tail : tail;
}

double student_quantile(double p, double freedom)
{
	double low = -1e10, high = 1e10;

	for (int i = 0; i < 200; i++) {
		double middle = (low + high) / 2;

		if (student_below(middle, freedom) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
