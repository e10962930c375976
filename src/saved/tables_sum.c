/*
 * tables_sum.c - adds up the tables of several runs or processes
 *
 * The sum has legs and nodes in the form of the measure layer, so that the
 * report layer writes them as it writes those of a session.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/report.h"
#include "perftool/saved.h"
#include "saved_histogram.h"

struct sum_leg {
	struct measure_leg stats;
	char *name, *from_place, *to_place, *key;
	double resolution; /* the sum of count * resolution */
	bool has_resolution;
	bool by_program, by_ring, by_tool; /* what it was counted from */
	struct histogram *made;            /* by a command; NULL: none */
};

struct sum_node {
	struct measure_node stats;
	char *kind, *location, *function, *file, *module, *condition,
		*mechanism, *place;
	uint32_t line;
};

/* A text of which all tables of the sum say the same, or NULL. */
struct common {
	char *text;
	bool is_known; /* was any table added? */
};

enum {
	COMMON_VERSION,
	COMMON_HOST,
	COMMON_KERNEL,
	COMMON_CPU,
	COMMON_CLOCK,
	COMMON_PROGRAM,
	COMMON_BUILD_ID,
	COMMON_STATE,
	COMMON_COUNT
};

struct saved_sum {
	VEC(struct sum_leg *) legs;
	VEC(struct sum_node *) nodes;
	struct strmap leg_of, node_of; /* by a key that is a text */
	struct common common[COMMON_COUNT];
	char *first, *last; /* the earliest `started`, the latest `ended` */
	char *at;           /* the latest one */
	double clock_resolution;
	int64_t exit_status;
	struct string_list arguments; /* followed by NULL */
	bool has_arguments;
	size_t count; /* tables that were added */
	/* of what the histogram was left out; NULL: of nothing */
	const char *left_out;
	struct tables tables;
	VEC(struct report_leg) report_legs;
	VEC(struct report_node) report_nodes;
};

struct saved_sum *saved_sum_create(void)
{
	return xcalloc(1, sizeof(struct saved_sum));
}

void saved_sum_destroy(struct saved_sum *sum)
{
	if (!sum)
		return;
	for (size_t i = 0; i < sum->legs.count; i++) {
		struct sum_leg *leg = sum->legs.data[i];

		histogram_destroy(leg->stats.record);
		histogram_destroy(leg->made);
		free(leg->name);
		free(leg->from_place);
		free(leg->to_place);
		free(leg->key);
		free(leg);
	}
	for (size_t i = 0; i < sum->nodes.count; i++) {
		struct sum_node *node = sum->nodes.data[i];

		histogram_destroy(node->stats.histogram);
		free(node->kind);
		free(node->location);
		free(node->function);
		free(node->file);
		free(node->module);
		free(node->condition);
		free(node->mechanism);
		free(node->place);
		free(node);
	}
	for (size_t i = 0; i < COMMON_COUNT; i++)
		free(sum->common[i].text);
	free(sum->first);
	free(sum->last);
	free(sum->at);
	string_list_deinit(&sum->arguments);
	strmap_deinit(&sum->leg_of);
	strmap_deinit(&sum->node_of);
	vec_free(&sum->legs);
	vec_free(&sum->nodes);
	vec_free(&sum->report_legs);
	vec_free(&sum->report_nodes);
	free(sum);
}

/* ---- the head ------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && str_equal(a, b));
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void add_common(struct common *common, const char *text)
{
	if (!common->is_known) {
		common->text = copy(text);
		common->is_known = true;
	} else if (!same_text(common->text, text)) {
		free(common->text);
		common->text = NULL;
	}
}

/* Keeps the earlier, or the later, of two times of day. They are compared as
 * texts: their zone is most often the same. */
static void keep_if(char **kept, const char *text, bool later)
{
	if (!text || (*kept && (strcmp(text, *kept) > 0) != later))
		return;
	free(*kept);
	*kept = xstrdup(text);
}

static bool same_arguments(const struct saved_sum *sum,
			   const struct saved_tables *from)
{
	if (!from->has_arguments ||
	    sum->arguments.count != from->arguments.count + 1)
		return false;
	for (size_t i = 0; i < from->arguments.count; i++)
		if (!str_equal(sum->arguments.data[i], from->arguments.data[i]))
			return false;
	return true;
}

static void add_arguments(struct saved_sum *sum,
			  const struct saved_tables *from)
{
	if (sum->count) {
		sum->has_arguments =
			sum->has_arguments && same_arguments(sum, from);
		return;
	}
	for (size_t i = 0; i < from->arguments.count; i++)
		vec_push(&sum->arguments, xstrdup(from->arguments.data[i]));
	vec_push(&sum->arguments, NULL);
	sum->has_arguments = from->has_arguments;
}

static void add_head(struct saved_sum *sum, const struct saved_tables *from)
{
	struct measure_summary *summary = &sum->tables.summary;
	const char *const texts[COMMON_COUNT] = {
		[COMMON_VERSION] = from->version,
		[COMMON_HOST] = from->host,
		[COMMON_KERNEL] = from->kernel,
		[COMMON_CPU] = from->cpu,
		[COMMON_CLOCK] = from->clock,
		[COMMON_PROGRAM] = from->program,
		[COMMON_BUILD_ID] = from->build_id,
		[COMMON_STATE] = from->state};

	for (size_t i = 0; i < COMMON_COUNT; i++)
		add_common(&sum->common[i], texts[i]);
	add_arguments(sum, from);
	keep_if(&sum->first, from->started, false);
	keep_if(&sum->last, from->ended, true);
	keep_if(&sum->at, from->at, true);
	if (!sum->count)
		sum->exit_status = from->exit_status;
	else if (sum->exit_status != from->exit_status)
		sum->exit_status = -1;
	if (!isnan(from->clock_resolution) &&
	    from->clock_resolution > sum->clock_resolution)
		sum->clock_resolution = from->clock_resolution;
	summary->elapsed += from->elapsed;
	summary->overhead += from->overhead;
	summary->added_overhead += from->added_overhead;
	summary->breaks += from->breaks;
	summary->passed += from->passed;
	summary->followed += from->followed;
}

/* ---- nodes --------------------------------------------------------------- */

/* The name of a node in the tables is its place, which JSON has not: it is the
 * kind and the location. */
static char *place_of(const struct saved_node *node)
{
	if (str_equal(node->kind, "entry") || str_equal(node->kind, "exit") ||
	    str_equal(node->kind, "return"))
		return xasprintf("%s %s", node->kind, node->location);
	return xstrdup(node->location);
}

static struct sum_node *node_create(const struct saved_node *node, uint32_t id)
{
	struct sum_node *out = xcalloc(1, sizeof(*out));

	out->stats.id = id;
	out->kind = xstrdup(node->kind);
	out->location = xstrdup(node->location);
	out->function = copy(node->function);
	out->file = copy(node->file);
	out->module = copy(node->module);
	out->condition = copy(node->condition);
	out->mechanism = copy(node->mechanism);
	out->place = place_of(node);
	out->line = (uint32_t)node->line;
	return out;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* Adds a node. `seen` counts the nodes of each key in these tables. Returns the
 * number of the node in the sum. */
static uint32_t add_node(struct saved_sum *sum, const struct saved_node *from,
			 struct strmap *seen)
{
	CLEANUP(free_pointer)
	char *what =
		xasprintf("%s\n%s\n%s\n%s", from->kind, from->location,
			  or_empty(from->module), or_empty(from->condition));
	uintptr_t nth = (uintptr_t)strmap_get(seen, what);
	CLEANUP(free_pointer) char *key = xasprintf("%zu\n%s", nth, what);
	struct sum_node *node = strmap_get(&sum->node_of, key);

	strmap_set(seen, what, (void *)(nth + 1));
	if (!node) {
		node = node_create(from, (uint32_t)sum->nodes.count + 1);
		vec_push(&sum->nodes, node);
		strmap_set(&sum->node_of, key, node);
	}
	node->stats.count += from->count;
	node->stats.errors += from->errors;
	return node->stats.id;
}

/* Adds all nodes. `ids` gets the numbers that they have in the sum. */
static void add_nodes(struct saved_sum *sum, const struct saved_tables *from,
		      struct map *ids)
{
	struct strmap seen = {0};

	for (size_t i = 0; i < from->nodes.count; i++) {
		const struct saved_node *node = &from->nodes.data[i];

		map_set_number(ids, node->id, add_node(sum, node, &seen));
	}
	strmap_deinit(&seen);
}

/* ---- legs ---------------------------------------------------------------- */

static const char *const owners[] = {[OWNER_THREAD] = "thread",
				     [OWNER_LEG] = "leg",
				     [OWNER_KEY] = "key",
				     [OWNER_GOROUTINE] = "goroutine"};
static const char *const matches[] = {[MATCH_LAST] = "last",
				      [MATCH_FIRST] = "first",
				      [MATCH_NESTED] = "nested",
				      [MATCH_OUTERMOST] = "outermost"};

static unsigned index_of(const char *text, const char *const *names,
			 unsigned count)
{
	for (unsigned i = 0; text && i < count; i++)
		if (str_starts(text, names[i]))
			return i;
	return 0;
}

static struct sum_leg *leg_create(const struct saved_leg *leg, uint32_t id)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR,
					   .is_implied = true};
	struct sum_leg *out = xcalloc(1, sizeof(*out));
	struct leg_spec *spec = &out->stats.spec;

	out->stats.id = id;
	out->name = xstrdup(leg->name);
	out->from_place = copy(leg->from_place);
	out->to_place = copy(leg->to_place);
	spec->owner = (enum leg_owner)index_of(
		leg->owner, owners, sizeof(owners) / sizeof(*owners));
	spec->match = (enum leg_match)index_of(
		leg->match, matches, sizeof(matches) / sizeof(*matches));
	if (spec->owner == OWNER_KEY && str_starts(leg->owner, "key="))
		out->key = xstrdup(leg->owner + strlen("key="));
	error_destroy(histogram_create(&hdr, true, &out->stats.record));
	out->stats.histogram = out->stats.record;
	return out;
}

/* Adds executions to the mean and to the sum of squared differences from it:
 * the formula of Chan, Golub and LeVeque for two parts. */
static void add_moments(struct measure_leg *into, const struct saved_leg *from)
{
	double count = (double)from->count;
	double mean = (double)from->total / count;
	double before = (double)into->count, all = before + count;
	double delta = mean - into->mean;

	if (!from->count)
		return;
	into->mean += delta * count / all;
	into->m2 += delta * delta * before * count / all;
	if (!isnan(from->stddev))
		into->m2 += from->stddev * from->stddev * (count - 1);
}

static int64_t as_ns(double number)
{
	return number >= 0x1p62    ? INT64_MAX / 2
	       : number <= -0x1p62 ? INT64_MIN / 2
				   : (int64_t)number;
}

static void add_range(struct measure_leg *into, const struct saved_leg *from)
{
	bool is_first = into->count <= into->interrupted;

	if (isnan(from->min) || isnan(from->max))
		return;
	if (is_first || as_ns(from->min) < into->min)
		into->min = as_ns(from->min);
	if (is_first || as_ns(from->max) > into->max)
		into->max = as_ns(from->max);
}

static void add_cpu(struct measure_leg *into, const struct saved_leg *from)
{
	uint64_t known =
		from->cpu_count < from->count ? from->cpu_count : from->count;
	double both = from->cpu_mean + from->waiting_mean;

	if (from->has_cpu) {
		into->waiting += from->total - from->cpu;
		return;
	}
	into->cpu_unknown += from->count - known;
	if (known && isfinite(both)) {
		into->waiting += (__int128)(from->waiting_mean * (double)known);
		into->cpu_unknown_total +=
			from->total - (__int128)(both * (double)known);
	} else {
		into->cpu_unknown_total += from->total;
	}
}

static void add_buckets(struct measure_leg *into, const struct saved_leg *from)
{
	for (size_t i = 0; i < from->buckets.count; i++) {
		const struct saved_bucket *bucket = &from->buckets.data[i];

		histogram_add_many(into->record,
				   bucket->from < 0 ? 0 : as_ns(bucket->from),
				   bucket->count);
	}
	histogram_add_to_sum(into->record, (int64_t)from->total);
}

static void add_counted(struct sum_leg *into, const char *text)
{
	if (!text)
		return;
	into->by_program |= strstr(text, "program") != NULL;
	into->by_ring |= strstr(text, "ring") != NULL;
	into->by_tool |= strstr(text, "tool") != NULL;
}

static void add_to_leg(struct sum_leg *into, const struct saved_leg *from)
{
	struct measure_leg *stats = &into->stats;

	add_range(stats, from);
	add_moments(stats, from);
	add_cpu(stats, from);
	add_buckets(stats, from);
	add_counted(into, from->counted);
	into->resolution += from->resolution * (double)from->count;
	stats->count += from->count;
	stats->interrupted += from->interrupted;
	stats->ignored_from += from->ignored_from;
	stats->ignored_to += from->ignored_to;
	stats->unwound += from->unwound;
	stats->discarded += from->discarded;
	stats->open += from->open;
	stats->total += from->total;
	stats->from_hits = stats->count + stats->ignored_from + stats->unwound +
			   stats->discarded + stats->open;
	stats->to_hits = stats->count + stats->ignored_to;
}

static void add_leg(struct saved_sum *sum, const struct saved_leg *from,
		    const struct map *ids)
{
	CLEANUP(free_pointer)
	char *key = xasprintf("%u\n%s", from->nth, from->name);
	struct sum_leg *leg = strmap_get(&sum->leg_of, key);

	if (!leg) {
		leg = leg_create(from, (uint32_t)sum->legs.count);
		leg->stats.spec.from =
			(uint32_t)map_get_number(ids, from->from);
		leg->stats.spec.to = (uint32_t)map_get_number(ids, from->to);
		vec_push(&sum->legs, leg);
		strmap_set(&sum->leg_of, key, leg);
	}
	add_to_leg(leg, from);
}

/* ---- histograms ---------------------------------------------------------- */

/* The leg that has the number `id` in the file, or NULL. */
static struct sum_leg *leg_of_file(const struct saved_sum *sum,
				   const struct saved_tables *from, uint64_t id)
{
	for (size_t i = 0; i < from->legs.count; i++) {
		const struct saved_leg *leg = &from->legs.data[i];
		CLEANUP(free_pointer) char *key = NULL;

		if (leg->id != id)
			continue;
		key = xasprintf("%u\n%s", leg->nth, leg->name);
		return strmap_get(&sum->leg_of, key);
	}
	return NULL;
}

/* Adds a histogram that a command has made. One that does not have the buckets
 * of those before it is left out. */
static void add_histogram(struct saved_sum *sum, struct histogram **into,
			  const struct saved_histogram *from, const char *name)
{
	if (!histogram_row_add(from, into))
		sum->left_out = name;
}

static void add_histograms(struct saved_sum *sum,
			   const struct saved_tables *from,
			   const struct map *ids)
{
	for (size_t i = 0; i < from->histograms.count; i++) {
		const struct saved_histogram *at = &from->histograms.data[i];
		struct sum_leg *leg =
			at->of_leg ? leg_of_file(sum, from, at->id) : NULL;
		size_t node =
			at->of_leg ? 0 : (size_t)map_get_number(ids, at->id);

		if (leg) {
			add_histogram(sum, &leg->made, at, leg->name);
		} else if (node) {
			struct sum_node *of = sum->nodes.data[node - 1];

			add_histogram(sum, &of->stats.histogram, at, of->place);
		}
	}
}

const char *saved_sum_left_out(const struct saved_sum *sum)
{
	return sum->left_out;
}

void saved_sum_add(struct saved_sum *sum, const struct saved_tables *tables)
{
	struct map ids = {0};

	add_head(sum, tables);
	add_nodes(sum, tables, &ids);
	for (size_t i = 0; i < tables->legs.count; i++)
		add_leg(sum, &tables->legs.data[i], &ids);
	add_histograms(sum, tables, &ids);
	map_deinit(&ids);
	sum->count++;
}

/* ---- the tables ---------------------------------------------------------- */

/* Tells the report layer what the executions were counted from. It knows this
 * by how many of them each mechanism has counted, which is not in the file. */
static void set_mechanisms(struct sum_leg *leg)
{
	struct measure_leg *stats = &leg->stats;
	uint64_t ring = leg->by_ring && stats->count > leg->by_program;
	uint64_t tool = leg->by_tool && stats->count > leg->by_program + ring;

	if (leg->by_tool && !leg->by_program && !leg->by_ring)
		tool = stats->count;
	else if (leg->by_program)
		stats->matched_by_threads = stats->count - ring - tool;
	stats->by_mechanisms[1U << HIT_INT3] = tool;
	stats->by_mechanisms[1U << HIT_FAST] = stats->count - tool;
}

static void fill_legs(struct saved_sum *sum)
{
	vec_clear(&sum->report_legs);
	for (size_t i = 0; i < sum->legs.count; i++) {
		struct sum_leg *leg = sum->legs.data[i];
		struct measure_leg *stats = &leg->stats;
		double resolution =
			stats->count ? leg->resolution / (double)stats->count
				     : 0;

		set_mechanisms(leg);
		stats->histogram = leg->made ? leg->made : stats->record;
		vec_push(&sum->report_legs,
			 (struct report_leg){.stats = stats,
					     .name = leg->name,
					     .from_place = leg->from_place,
					     .to_place = leg->to_place,
					     .key_text = leg->key,
					     .resolution = resolution,
					     .below_resolution =
						     stats->count &&
						     resolution > 0 &&
						     stats->mean < resolution});
	}
	sum->tables.legs = sum->report_legs.data;
	sum->tables.leg_count = sum->report_legs.count;
}

static void fill_nodes(struct saved_sum *sum)
{
	vec_clear(&sum->report_nodes);
	for (size_t i = 0; i < sum->nodes.count; i++) {
		const struct sum_node *node = sum->nodes.data[i];

		vec_push(&sum->report_nodes,
			 (struct report_node){.stats = &node->stats,
					      .kind = node->kind,
					      .location = node->location,
					      .place = node->place,
					      .function = node->function,
					      .file = node->file,
					      .line = node->line,
					      .module = node->module,
					      .condition = node->condition,
					      .mechanism = node->mechanism});
	}
	sum->tables.nodes = sum->report_nodes.data;
	sum->tables.node_count = sum->report_nodes.count;
}

static void fill_head(struct saved_sum *sum)
{
	const struct common *common = sum->common;
	struct measure_summary *summary = &sum->tables.summary;
	struct tables *tables = &sum->tables;

	summary->average_overhead =
		summary->breaks
			? (double)summary->overhead / (double)summary->breaks
			: 0;
	summary->overhead_percent = summary->elapsed
					    ? 100 * (double)summary->overhead /
						      (double)summary->elapsed
					    : 0;
	tables->is_sum = true;
	tables->version = common[COMMON_VERSION].text;
	tables->at = sum->at;
	tables->started = sum->first;
	tables->ended = sum->last;
	tables->host = common[COMMON_HOST].text;
	tables->kernel = common[COMMON_KERNEL].text;
	tables->cpu = common[COMMON_CPU].text;
	tables->clock_source = common[COMMON_CLOCK].text;
	tables->clock_resolution = sum->clock_resolution;
	tables->program = (struct report_program){
		.path = common[COMMON_PROGRAM].text,
		.build_id = common[COMMON_BUILD_ID].text,
		.args = sum->has_arguments
				? (const char *const *)sum->arguments.data
				: NULL,
		.state = common[COMMON_STATE].text,
		.exit_status = (int)sum->exit_status};
}

const struct tables *saved_sum_tables(struct saved_sum *sum)
{
	fill_head(sum);
	fill_nodes(sum);
	fill_legs(sum);
	return &sum->tables;
}
