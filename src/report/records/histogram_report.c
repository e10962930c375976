/*
 * histogram_report.c - the histograms of nodes and legs, and whether their
 * averages are known
 */
#include "perftool/report.h"
#include "record.h"

struct report_histogram report_node_histogram(const struct report_node *node)
{
	return (struct report_histogram){.histogram = node->stats->histogram,
					 .id = node->stats->id,
					 .name = node->place};
}

struct report_histogram report_leg_histogram(const struct report_leg *leg)
{
	return (struct report_histogram){.histogram = leg->stats->histogram,
					 .of_leg = true,
					 .id = leg->stats->id,
					 .resolution = leg->resolution,
					 .name = leg->name};
}

bool histogram_below_resolution(const struct report_histogram *at)
{
	uint64_t references = histogram_references(at->histogram);

	return at->resolution > 0 && references &&
	       (double)histogram_sum(at->histogram) / (double)references <
		       at->resolution;
}
