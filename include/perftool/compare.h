/*
 * compare.h - what two sets of measurements tell about a difference
 *
 * Pure statistics: numbers in, an interval and a verdict out. A random
 * generator with a fixed seed makes the same numbers give the same answer.
 *
 * Over runs: a program was run several times before and after a change, and
 * each run has a value. What is compared is the median of the runs, because the
 * machine disturbs some runs, and always in the same direction. The interval is
 * that of a bootstrap: runs are drawn again and again from those that there
 * are. Fewer than four runs are too few to be drawn from: the interval is then
 * Student's (Welch's, of unequal variances).
 *
 * Over executions: of one run there is a histogram of times, from which times
 * are drawn. What differs from run to run is not in such an interval.
 */
#ifndef PERFTOOL_COMPARE_H
#define PERFTOOL_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/base/vec.h"

/* ---- a random generator -------------------------------------------------- */

/* xoshiro256** of Blackman and Vigna. */
struct random {
	uint64_t state[4];
	/* how often a bootstrap draws; 0: there are no intervals */
	size_t resamples;
};
/* The number that is set at first, and the least that makes sense. */
#define RESAMPLES 2000
#define RESAMPLES_MIN 200
void random_seed(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);
/* a whole number below `limit`, which is not 0 */
size_t random_below(struct random *random, size_t limit);
double random_unit(struct random *random);   /* in (0, 1) */
double random_normal(struct random *random); /* mean 0, variance 1 */
/* how often something happens that happens `mean` times on average */
double random_poisson(struct random *random, double mean);
double random_gamma(struct random *random, double shape); /* of scale 1 */

/* ---- distributions ------------------------------------------------------- */

double normal_below(double x); /* the part of the values below x */
/* the part of the values of a beta distribution below x */
double beta_below(double a, double b, double x);
double student_below(double x, double freedom);
/* the value below which the part `p` (0 to 1, without both) lies */
double student_quantile(double p, double freedom);

/* ---- estimates ----------------------------------------------------------- */

enum verdict {
	VERDICT_UNKNOWN, /* there is no interval */
	VERDICT_NONE,    /* 0 is in the interval */
	VERDICT_SAME,    /* all values are equal */
	VERDICT_LESS,    /* faster, or fewer */
	VERDICT_MORE     /* slower, or more */
};

struct estimate {
	double before, after; /* NAN: not known */
	bool has_interval;
	double low, high; /* of after - before, with 95 % */
	/* The same in percent of the value before, which varies, too: so they
	 * are not low and high in percent of `before`. Never below -100; NAN:
	 * not known. */
	double low_percent, high_percent;
	enum verdict verdict;
	/* VERDICT_NONE over runs: how many runs more, before and after, would
	 * show the difference that was found; 0: no number of runs would, or
	 * more than COMPARE_RUNS_MAX. */
	size_t more_runs;
};
#define COMPARE_RUNS_MAX 10000

/* after - before, and the same in percent of before. NAN: not known. */
double estimate_difference(const struct estimate *estimate);
double estimate_percent(const struct estimate *estimate, double difference);

/* The sum of so many values. */
struct compare_sum {
	double count, sum;
};
/* Compares sums of values, of which the means were compared. How many values
 * there are does not vary. */
struct estimate estimate_of_sums(const struct estimate *mean,
				 struct compare_sum before,
				 struct compare_sum after);

/* NAN: there are no values. */
double compare_median(const double *values, size_t count);

/*
 * Compares the values of runs. `grain` is how finely one value is known: no
 * difference below it counts, and the interval reaches at least so far to both
 * sides, unless all values are equal. If there are fewer than two values on one
 * side there is no interval.
 */
struct estimate compare_runs(const double *before, size_t before_count,
			     const double *after, size_t after_count,
			     double grain, struct random *random);

/* A histogram: values and how often each came, in rising order. */
struct compare_value {
	double value;
	uint64_t count;
};
struct compare_values {
	const struct compare_value *data;
	size_t count;
	uint64_t total; /* the sum of all counts */
};

/* With fewer executions than this on one side there is no interval. */
#define COMPARE_EXECUTIONS_MIN 5

/* Compare the means of two histograms, which are known more exactly than their
 * buckets tell, or a quantile of theirs. */
struct estimate compare_means(const struct compare_values *before,
			      double before_mean,
			      const struct compare_values *after,
			      double after_mean, double grain,
			      struct random *random);
struct estimate compare_quantiles(const struct compare_values *before,
				  double before_quantile,
				  const struct compare_values *after,
				  double after_quantile, double q, double grain,
				  struct random *random);

/* ---- legs and files ------------------------------------------------------ */

enum compare_figure {
	FIGURE_COUNT,
	FIGURE_TOTAL,
	FIGURE_MEAN,
	FIGURE_P50,
	FIGURE_P99,
	FIGURES
};
extern const char *const compare_figure_names[FIGURES];

/* What the values of a leg were drawn from. */
enum compare_basis { BASIS_NONE, BASIS_RUNS, BASIS_EXECUTIONS };

struct leg_comparison {
	const char *name;
	uint32_t nth; /* of the legs of this name */
	enum compare_basis basis;
	/* how many runs, or executions */
	uint64_t drawn_before, drawn_after;
	struct estimate figures[FIGURES];
};

/* One figure of a leg over several runs. */
struct run_spread {
	size_t count;                        /* runs that have a value */
	double median, low, high, deviation; /* the standard deviation */
};
struct run_spread compare_spread(const double *values, size_t count);

struct leg_spread {
	const char *name;
	struct run_spread figures[FIGURES];
};
VEC_STRUCT(leg_spread_list, struct leg_spread);

/* A file that takes part. */
struct compared_file {
	const char *path;
	const char *program, *version, *host, *at; /* NULL: not known */
	size_t runs;                               /* 0: it is about one run */
	uint64_t failed_runs;                      /* that were left out */
	uint64_t merged_files;                     /* 0: it is no merge */
};

VEC_STRUCT(leg_comparison_list, struct leg_comparison);
VEC_STRUCT(compare_name_list, const char *);

/* A leg that both files have, by its index in each. */
struct leg_pair {
	uint32_t before, after;
};
VEC_STRUCT(leg_pair_list, struct leg_pair);

/* Legs are compared when somebody asks for one: there may be a million, of
 * which people are shown few. */
struct comparison {
	struct compared_file before, after;
	struct leg_pair_list legs;
	/* the names of the legs that only one of the files has */
	struct compare_name_list only_before, only_after;
	/* For comparison_leg() and comparison_values(). */
	void (*compare)(const struct comparison *comparison,
			const struct leg_pair *pair, size_t resamples,
			struct leg_comparison *out);
	const struct compared_tables *tables_before, *tables_after;
};
void comparison_deinit(struct comparison *comparison);

/* Compares leg number `index`. comparison_values() does without intervals,
 * which takes much less time: the verdicts are not known then. */
void comparison_leg(const struct comparison *comparison, size_t index,
		    struct leg_comparison *out);
void comparison_values(const struct comparison *comparison, size_t index,
		       struct leg_comparison *out);

/* How often the bootstraps of a comparison of so many legs draw: RESAMPLES, or
 * less often if there are very many legs. */
size_t comparison_resamples(size_t legs);

/* The word for a verdict: `faster', `more', `none' and so on. */
const char *verdict_word(enum verdict verdict, enum compare_figure figure);

/* ---- conditions ---------------------------------------------------------- */

/*
 * [LEG:]FIGURE OP NUMBER[UNIT|%]. With `%' the difference is compared, in
 * percent of the value before: `p99 > 5%' holds if p99 has grown by more than
 * 5 % and the interval shows that it has grown. A number without `%' is
 * compared with the value after. A time other than 0 has a unit: `mean > 2ms'.
 */
struct compare_condition {
	char *text; /* as it was written */
	char *leg;  /* a name, or a glob; NULL: all legs */
	enum compare_figure figure;
	enum { IS_ABOVE, IS_AT_LEAST, IS_BELOW, IS_AT_MOST } order;
	bool is_percent;
	double number; /* percent, ns, or a count */
};
struct error *compare_condition_parse(const char *text,
				      struct compare_condition *out);
void compare_condition_deinit(struct compare_condition *condition);

/* Is the condition about this leg? */
bool compare_condition_concerns(const struct compare_condition *condition,
				const struct leg_comparison *leg);
bool compare_condition_holds(const struct compare_condition *condition,
			     const struct leg_comparison *leg);
/* May it hold, as far as the values say? Intervals may tell otherwise. */
bool compare_condition_may_hold(const struct compare_condition *condition,
				const struct leg_comparison *leg);

#endif
