/* spark.c - a histogram as a spark line of a few characters */
#include "spark.h"

#include <math.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

#define LEVELS 8

static const char *const blocks[LEVELS] = {
	"\u2581", "\u2582", "\u2583", "\u2584",
	"\u2585", "\u2586", "\u2587", "\u2588",
};
static const char *const signs[LEVELS] = {
	".", ":", "-", "=", "+", "*", "#", "@",
};

/* The place of a time on the logarithmic axis. 1 is added so that 0 ns has a
 * place, too. */
static double place(double time)
{
	return log2(time + 1);
}

/* Find the ends of the axis. Returns false if the axis has no length, because
 * all times are in one bucket. */
static bool find_ends(const struct histogram *histogram, double *left,
		      double *right)
{
	struct bucket bucket;
	size_t cursor = 0, buckets = 0;

	for (; histogram_next(histogram, &cursor, &bucket); buckets++) {
		if (!buckets)
			*left = place(bucket.from);
		*right = place(bucket.to);
	}
	return buckets > 1;
}

/* Add the count of a bucket to `cells`, the characters of the line. The bucket
 * reaches from `from` to `to`, measured in cells. It may be wider than a cell,
 * so each cell that it covers gets a part of the count. */
static void spread(double from, double to, double count, double *cells,
		   size_t width)
{
	for (size_t i = (size_t)from; i < width && (double)i < to; i++) {
		double begin = fmax(from, (double)i);
		double end = fmin(to, (double)(i + 1));
		double share = (end - begin) / (to - from) * count;

		/* a smaller share comes from rounding errors only */
		if (share > 1e-6)
			cells[i] += share;
	}
}

static void fill(const struct histogram *histogram, double left, double right,
		 double *cells, size_t width)
{
	double scale = (double)width / (right - left);
	struct bucket bucket;
	size_t cursor = 0;

	while (histogram_next(histogram, &cursor, &bucket))
		spread((place(bucket.from) - left) * scale,
		       (place(bucket.to) - left) * scale, (double)bucket.count,
		       cells, width);
}

static char *draw(const double *cells, size_t width, bool ascii)
{
	const char *const *levels = ascii ? signs : blocks;
	struct str text = {0};
	double largest = 0;

	for (size_t i = 0; i < width; i++)
		largest = fmax(largest, cells[i]);
	for (size_t i = 0; i < width; i++) {
		double level = ceil(cells[i] / largest * LEVELS - 1e-9);

		if (cells[i] > 0)
			str_append(&text,
				   levels[level > 1 ? (size_t)level - 1 : 0]);
		else
			str_append_char(&text, ' ');
	}
	return str_take(&text);
}

char *spark_cell(const struct histogram *histogram, size_t width, bool ascii)
{
	CLEANUP(free_pointer) double *cells = xcalloc(width, sizeof(*cells));
	double left = 0, right = 0;

	if (!find_ends(histogram, &left, &right))
		return xstrdup((ascii ? signs : blocks)[LEVELS - 1]);
	fill(histogram, left, right, cells, width);
	return draw(cells, width, ascii);
}
