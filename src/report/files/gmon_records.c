/*
 * gmon_records.c - the bytes of a gmon file
 *
 * Rule: the header gmon_out.h of the GNU C library, and "Profiling Data File
 * Format" in the manual of gprof. A histogram record covers a range of
 * addresses with counts of 16 bits. gprof adds up records of the same range,
 * and refuses ranges that overlap; so a bin whose count does not fit has a
 * range of its own, which comes as often as necessary.
 */
#include <stdlib.h>
#include <string.h>

#include "gmon_module.h"
#include "perftool/base/alloc.h"

enum { TAG_HISTOGRAM = 0, TAG_ARC = 1 };

#define COUNT_LIMIT UINT16_MAX
#define ARC_LIMIT UINT32_MAX
/* A range goes on over this many bytes without a count. Many short ranges would
 * take gprof long. */
#define GAP 4096

/* All numbers are in the machine's byte order. */
static void append_number(uint64_t number, size_t size, struct str *out)
{
	str_append_n(out, (const char *)&number, size);
}

static void append_histogram(const struct gmon_modules *modules, uint64_t begin,
			     const uint16_t *counts, size_t bins,
			     struct str *out)
{
	char dimension[15] = "";
	size_t length = strlen(modules->dimension);

	memcpy(dimension, modules->dimension,
	       length < sizeof(dimension) ? length : sizeof(dimension) - 1);
	append_number(TAG_HISTOGRAM, 1, out);
	append_number(begin, 8, out);
	append_number(begin + bins * GMON_BIN, 8, out);
	append_number(bins, 4, out);
	append_number(modules->rate, 4, out);
	str_append_n(out, dimension, sizeof(dimension));
	append_number((unsigned char)dimension[0], 1, out);
	str_append_n(out, (const char *)counts, bins * sizeof(*counts));
}

/* The records of one bin. */
static void append_heavy(const struct gmon_modules *modules,
			 const struct gmon_bin *bin, struct str *out)
{
	for (uint64_t left = bin->count; left;) {
		uint16_t part =
			(uint16_t)(left < COUNT_LIMIT ? left : COUNT_LIMIT);

		append_histogram(modules, bin->address, &part, 1, out);
		left -= part;
	}
}

/* How many of the bins one record covers: those that lie close together, up to
 * one whose count does not fit. */
static size_t range_of_bins(const struct gmon_bin *bins, size_t count)
{
	size_t n = 1;

	while (n < count && bins[n].count <= COUNT_LIMIT &&
	       bins[n].address - bins[n - 1].address <= GAP)
		n++;
	return n;
}

static void append_light(const struct gmon_modules *modules,
			 const struct gmon_bin *bins, size_t count,
			 struct str *out)
{
	uint64_t begin = bins[0].address;
	size_t size = (bins[count - 1].address - begin) / GMON_BIN + 1;
	uint16_t *counts = xcalloc(size, sizeof(*counts));

	for (size_t i = 0; i < count; i++)
		counts[(bins[i].address - begin) / GMON_BIN] =
			(uint16_t)bins[i].count;
	append_histogram(modules, begin, counts, size, out);
	free(counts);
}

static int compare_bins(const void *a_, const void *b_)
{
	const struct gmon_bin *a = a_, *b = b_;

	return (a->address > b->address) - (a->address < b->address);
}

/* gprof wants a histogram in any case. This one has no counts. */
static void append_no_time(const struct gmon_modules *modules,
			   const struct gmon_module *module, struct str *out)
{
	uint64_t begin = module->facts ? module->facts->code_begin : 0;
	const uint16_t none = 0;

	append_histogram(modules, begin - begin % GMON_BIN, &none, 1, out);
}

static void append_time(const struct gmon_modules *modules,
			struct gmon_module *module, struct str *out)
{
	const struct gmon_bin *bins;
	size_t count = module->bins.count, n;

	if (!count) {
		append_no_time(modules, module, out);
		return;
	}
	qsort(module->bins.data, count, sizeof(*bins), compare_bins);
	bins = module->bins.data;
	for (size_t i = 0; i < count; i += n) {
		n = 1;
		if (bins[i].count > COUNT_LIMIT) {
			append_heavy(modules, &bins[i], out);
		} else {
			n = range_of_bins(bins + i, count - i);
			append_light(modules, bins + i, n, out);
		}
	}
}

/* gprof adds up the records of an arc. */
static void append_arc(const struct gmon_arc *arc, struct str *out)
{
	for (uint64_t left = arc->count; left;) {
		uint64_t part = left < ARC_LIMIT ? left : ARC_LIMIT;

		append_number(TAG_ARC, 1, out);
		append_number(arc->from, 8, out);
		append_number(arc->to, 8, out);
		append_number(part, 4, out);
		left -= part;
	}
}

void gmon_write(const struct gmon_modules *modules, struct gmon_module *module,
		struct str *out)
{
	str_append(out, "gmon");
	append_number(1, 4, out); /* version */
	append_number(0, 8, out); /* reserved, 12 bytes */
	append_number(0, 4, out);
	append_time(modules, module, out);
	for (size_t i = 0; i < module->arcs.count; i++)
		append_arc(&module->arcs.data[i], out);
}
