/* record.c - rows of the tables as named fields, for both JSON and CSV */
#include "record.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "field.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "report/figures/figures.h"

void record_program(const struct tables *tables, struct record *out)
{
	const struct report_program *program = &tables->program;
	struct field args = {.name = "args", .kind = FIELD_TEXTS};

	add_text(out, "path", program->path);
	add_text(out, "build_id", program->build_id);
	if (program->args) {
		for (size_t i = 0; program->args[i]; i++)
			vec_push(&args.texts, xstrdup(program->args[i]));
		vec_push(out, args);
	} else {
		add_null(out, "args");
	}
	if (program->pid)
		add_integer(out, "pid", program->pid);
	else
		add_null(out, "pid");
	add_text(out, "state", program->state);
	if (program->exit_status >= 0)
		add_integer(out, "exit_status", program->exit_status);
	else
		add_null(out, "exit_status");
	if (program->exit_signal)
		add_integer(out, "exit_signal", program->exit_signal);
	else
		add_null(out, "exit_signal");
}

void record_surroundings(const struct tables *tables, struct record *out)
{
	add_text(out, "at", tables->at);
	add_text(out, "started", tables->started);
	add_text(out, "ended", tables->ended);
	add_text(out, "host", tables->host);
	add_text(out, "kernel", tables->kernel);
	add_text(out, "cpu", tables->cpu);
	if (tables->has_rank)
		add_integer(out, "rank", tables->rank);
	else
		add_null(out, "rank");
}

void record_settings(const struct tables *tables, struct record *out)
{
	for (size_t i = 0; i < tables->setting_count; i++)
		add_text(out, tables->settings[i].name,
			 tables->settings[i].value);
}

void record_interval(const struct report_interval *interval, struct record *out)
{
	add_integer(out, "from_ns", interval->from);
	add_integer(out, "to_ns", interval->to);
}

void record_clock(const struct tables *tables, struct record *out)
{
	add_text(out, "source", tables->clock_source);
	if (tables->clock_source)
		add_number(out, "resolution_ns", tables->clock_resolution);
	else
		add_null(out, "resolution_ns");
	add_text(out, "remark", tables->clock_remark);
}

void record_summary(const struct tables *tables, struct record *out)
{
	const struct measure_summary *summary = &tables->summary;
	__int128 elapsed = summary->elapsed, overhead = summary->overhead;

	add_integer(out, "elapsed_ns", elapsed);
	add_integer(out, "elapsed_less_overhead_ns", elapsed - overhead);
	add_integer(out, "overhead_ns", overhead);
	add_integer(out, "breaks", summary->breaks);
	if (summary->breaks)
		add_number(out, "average_overhead_ns",
			   summary->average_overhead);
	else
		add_null(out, "average_overhead_ns");
	add_percent(out, "overhead_percent", overhead, elapsed);
	add_integer(out, "added_overhead_ns", summary->added_overhead);
	add_integer(out, "passed_over", summary->passed);
	add_integer(out, "followed", summary->followed);
	add_integer(out, "followed_int3", summary->followed_int3);
	if (tables->cost_samples)
		add_number(out, "fast_hit_cost_factor", tables->cost_factor);
	else
		add_null(out, "fast_hit_cost_factor");
	add_integer(out, "fast_hit_cost_samples", tables->cost_samples);
}

void record_detail(const struct report_detail *detail, struct record *out)
{
	add_number(out, "limit_percent", detail->limit);
	add_number(out, "cost_percent",
		   detail->nodes + detail->pauses + detail->sampling);
	add_number(out, "nodes_percent", detail->nodes);
	add_number(out, "pauses_percent", detail->pauses);
	add_number(out, "sampling_percent", detail->sampling);
	add_number(out, "nodes_limit_percent", detail->room);
	add_integer(out, "functions", (__int128)detail->functions);
}

void record_refusal(const struct report_refusal *refusal, struct record *out)
{
	add_text(out, "function", refusal->function);
	add_number(out, "calls_per_second", refusal->calls);
	add_number(out, "calls_per_cpu_second", refusal->cpu_calls);
	add_number(out, "call_cost_ns", report_call_cost(refusal));
	add_number(out, "cost_percent", refusal->cost);
	add_bool(out, "cost_is_least", refusal->is_least);
	if (refusal->left >= 0)
		add_number(out, "left_ns", refusal->left);
	else
		add_null(out, "left_ns");
}

void record_node(const struct report_node *node, struct record *out)
{
	struct field addresses = {.name = "addresses", .kind = FIELD_TEXTS};

	add_integer(out, "id", node->stats->id);
	add_text(out, "kind", node->kind);
	add_text(out, "location", node->location);
	add_text(out, "function", node->function);
	add_text(out, "file", node->file);
	if (node->line)
		add_integer(out, "line", node->line);
	else
		add_null(out, "line");
	add_text(out, "module", node->module);
	for (size_t i = 0; i < node->address_count; i++)
		vec_push(&addresses.texts,
			 xasprintf("0x%" PRIx64, node->addresses[i]));
	vec_push(out, addresses);
	add_text(out, "condition", node->condition);
	add_integer(out, "count", node->stats->count);
	add_integer(out, "errors", node->stats->errors);
	add_text(out, "mechanism", node->mechanism);
	add_bool(out, "deleted", node->stats->deleted || node->is_out);
	add_text(out, "int3_reason", node->int3_reason);
	add_text(out, "made_by", node->made_by ? node->made_by : "user");
}

static void add_quantile(struct record *record, const char *name,
			 const struct measure_leg *leg, double q)
{
	double value;

	if (measure_leg_quantile(leg, q, &value))
		add_number(record, name, value);
	else
		add_null(record, name);
}

static void leg_counts(const struct measure_leg *leg, struct record *out)
{
	add_integer(out, "count", leg->count);
	add_integer(out, "ignored_from", leg->ignored_from);
	add_integer(out, "ignored_to", leg->ignored_to);
	add_integer(out, "unwound", leg->unwound);
	add_integer(out, "discarded", leg->discarded);
	add_integer(out, "open", leg->open);
}

/* A sum of times on a CPU, or on no CPU, is known only if the tool knows this
 * time for all executions. A mean (add_mean()) is the mean of those executions
 * for which the tool knows the time. */
static void add_sum(struct record *record, const char *name,
		    const struct measure_leg *leg, __int128 sum)
{
	if (leg->cpu_unknown)
		add_null(record, name);
	else
		add_integer(record, name, sum);
}

static void add_mean(struct record *record, const char *name, __int128 sum,
		     uint64_t count)
{
	if (count)
		add_number(record, name, (double)sum / (double)count);
	else
		add_null(record, name);
}

/* The fields about the time on a CPU, except `cpu_ns`, which leg_times() adds.
 */
static void leg_cpu(const struct measure_leg *leg, struct record *out)
{
	struct measure_cpu cpu = measure_leg_cpu(leg);

	add_sum(out, "waiting_ns", leg, cpu.waiting);
	add_integer(out, "cpu_count", cpu.count);
	add_mean(out, "cpu_mean_ns", cpu.cpu, cpu.count);
	add_mean(out, "waiting_mean_ns", cpu.waiting, cpu.count);
}

static void leg_times(const struct measure_leg *leg, bool below,
		      struct record *out)
{
	add_integer(out, "total_ns", leg->total);
	add_sum(out, "cpu_ns", leg, measure_leg_cpu(leg).cpu);
	if (leg->count && !below)
		add_number(out, "mean_ns", leg->mean);
	else
		add_null(out, "mean_ns");
	if (leg->count > leg->interrupted) {
		add_integer(out, "min_ns", leg->min);
		add_integer(out, "max_ns", leg->max);
	} else {
		add_null(out, "min_ns");
		add_null(out, "max_ns");
	}
	if (leg->count > 1)
		add_number(out, "stddev_ns", measure_leg_stddev(leg));
	else
		add_null(out, "stddev_ns");
	add_quantile(out, "p50_ns", leg, 0.5);
	add_quantile(out, "p90_ns", leg, 0.9);
	add_quantile(out, "p99_ns", leg, 0.99);
	add_quantile(out, "p999_ns", leg, 0.999);
}

/* What the executions were counted from: "program" (the program's threads have
 * matched the hits by themselves), "ring" (records that the threads write for
 * the tool at jumps), "tool" (stops at int3s), or several of them. NULL: there
 * are no executions. */
static const char *counted(const struct measure_leg *leg)
{
	static const char *const names[] = {
		NULL,   "program",       "ring",       "program, ring",
		"tool", "program, tool", "ring, tool", "program, ring, tool"};
	uint64_t fast = leg->by_mechanisms[1U << HIT_FAST];
	uint64_t ring = fast - leg->matched_by_threads;
	/* An execution of which one end was recorded and one was a stop is of
	 * both kinds. */
	uint64_t tool = leg->count - fast;
	uint64_t mixed = tool - leg->by_mechanisms[1U << HIT_INT3];

	return names[(leg->matched_by_threads ? 1 : 0) |
		     (ring + mixed ? 2 : 0) | (tool ? 4 : 0)];
}

const char *const owner_names[] = {[OWNER_THREAD] = "thread",
				   [OWNER_LEG] = "leg",
				   [OWNER_KEY] = "key",
				   [OWNER_GOROUTINE] = "goroutine"};
const char *const match_names[] = {[MATCH_LAST] = "last",
				   [MATCH_FIRST] = "first",
				   [MATCH_NESTED] = "nested",
				   [MATCH_OUTERMOST] = "outermost"};

/* The signed total is the unbiased estimate, which can be added up and
 * compared. People are shown this bound instead, if no more is known. */
static void add_total_bound(struct record *record, const struct report_leg *leg)
{
	double bound;

	if (leg_total_is_bound(leg, &bound))
		add_integer(record, "total_bound_ns", (__int128)bound);
	else
		add_null(record, "total_bound_ns");
}

void record_leg(const struct tables *tables, const struct report_leg *leg,
		struct record *out)
{
	const struct measure_leg *stats = leg->stats;
	struct str owner = {0};

	add_integer(out, "id", stats->id);
	add_text(out, "name", leg->name);
	add_integer(out, "from", stats->spec.from);
	add_integer(out, "to", stats->spec.to);
	add_text(out, "from_place", leg->from_place);
	add_text(out, "to_place", leg->to_place);
	str_append(&owner, owner_names[stats->spec.owner]);
	if (stats->spec.owner == OWNER_KEY && leg->key_text)
		str_printf(&owner, "=%s", leg->key_text);
	add_text(out, "owner", str_text(&owner));
	str_deinit(&owner);
	add_text(out, "match", match_names[stats->spec.match]);
	leg_counts(stats, out);
	leg_times(stats, leg->below_resolution, out);
	add_percent(out, "percent", stats->total, tables->summary.elapsed);
	add_bool(out, "below_resolution", leg->below_resolution);
	add_number(out, "resolution_ns", leg->resolution);
	add_total_bound(out, leg);
	leg_cpu(stats, out);
	add_text(out, "cpu_problem", cpu_problem(tables, stats));
	add_integer(out, "interrupted", stats->interrupted);
	add_text(out, "made_by", leg->made_by ? leg->made_by : "user");
	add_text(out, "counted", counted(stats));
}

void record_of_leg(const struct report_leg *leg, struct record *out)
{
	add_integer(out, "id", leg->stats->id);
	add_text(out, "name", leg->name);
	add_text(out, "from_place", leg->from_place);
	add_text(out, "to_place", leg->to_place);
}

void record_share(const struct tables *tables, const struct report_leg *share,
		  struct record *out)
{
	const struct measure_process *process = share->process;
	const struct measure_leg *stats = share->stats;

	if (share->has_rank) {
		add_integer(out, "rank", share->rank);
	} else if (process) {
		add_integer(out, "process", process->number);
		if (process->pid)
			add_integer(out, "pid", process->pid);
		else
			add_null(out, "pid");
	} else {
		add_null(out, "process");
		add_null(out, "pid");
	}
	if (!share->has_rank) {
		add_text(out, "comm", process ? process->comm : NULL);
		add_text(out, "command", process ? process->command : NULL);
	}
	add_integer(out, "count", stats->count);
	leg_times(stats, share->below_resolution, out);
	add_percent(out, "percent", stats->total, tables->summary.elapsed);
	add_bool(out, "below_resolution", share->below_resolution);
	add_total_bound(out, share);
	leg_cpu(stats, out);
	add_integer(out, "interrupted", stats->interrupted);
}

void record_histogram(const struct report_histogram *at, struct record *out)
{
	static const char *const classes[] = {[HISTOGRAM_LINEAR] = "linear",
					      [HISTOGRAM_LOG] = "log",
					      [HISTOGRAM_HDR] = "hdr"};
	const struct histogram *histogram = at->histogram;
	const struct histogram_spec *spec = histogram_spec(histogram);
	uint64_t references = histogram_references(histogram);

	add_text(out, "of", at->of_leg ? "leg" : "node");
	add_integer(out, "id", at->id);
	add_text(out, "name", at->name);
	add_text(out, "class", classes[spec->class]);
	if (spec->class == HISTOGRAM_HDR) {
		add_null(out, "scale");
		add_null(out, "base");
	} else {
		add_integer(out, "scale", spec->scale);
		add_integer(out, "base", spec->base);
	}
	add_integer(out, "references", references);
	if (histogram_has_floats(histogram))
		add_number(out, "sum", histogram_sum_float(histogram));
	else
		add_integer(out, "sum", histogram_sum(histogram));
	if (!references || histogram_below_resolution(at))
		add_null(out, "average");
	else if (histogram_has_floats(histogram))
		add_number(out, "average",
			   histogram_sum_float(histogram) / (double)references);
	else
		add_integer(out, "average",
			    histogram_sum(histogram) / references);
	add_integer(out, "underflow", histogram_underflow(histogram));
	add_integer(out, "overflow", histogram_overflow(histogram));
}

/* The bound of a bucket. It is a whole number, except in an hdr histogram of
 * floating-point values. */
static void add_bound(struct record *record, const char *name, double value)
{
	if (value == floor(value) && fabs(value) < 0x1p126)
		add_integer(record, name, (__int128)value);
	else
		add_number(record, name, value);
}

void record_bucket(const struct bucket *bucket, struct record *out)
{
	add_bound(out, "from", bucket->from);
	add_bound(out, "to", bucket->to);
	add_integer(out, "count", bucket->count);
}

void record_no_bucket(struct record *out)
{
	add_null(out, "from");
	add_null(out, "to");
	add_null(out, "count");
}

char *row_name(const struct measure_row *row)
{
	char digits[32];

	if (!row)
		return NULL;
	switch (row->kind) {
	case ROW_OTHER:
		return xstrdup("(other)");
	case ROW_ERROR:
		return xstrdup("(error)");
	case ROW_VALUE:
		break;
	}
	return xstrdup(row->label.text
			       ? row->label.text
			       : value_format(row->label.value, digits));
}

/* The value of a row. It is null if the row is "(other)" or "(error)", or if
 * there is no row. */
/* Add a time, ns, or null if it is not known. */
static void add_time(struct record *record, const char *name, bool is_known,
		     int64_t ns)
{
	if (is_known)
		add_integer(record, name, ns);
	else
		add_null(record, name);
}

static void add_label(struct record *record, const char *name,
		      const struct measure_row *row)
{
	if (!row || row->kind != ROW_VALUE)
		add_null(record, name);
	else if (row->label.text)
		add_text(record, name, row->label.text);
	else
		add_value(record, name, row->label.value);
}

const struct split_view report_all_rows = {.rows = SPLIT_VALUES};

struct split_subject subject_node(const struct report_node *node)
{
	return (struct split_subject){.id = node->stats->id,
				      .name = node->place,
				      .expression = node->by_text,
				      .split = node->stats->split};
}

struct split_subject subject_leg(const struct report_leg *leg)
{
	return (struct split_subject){.of_leg = true,
				      .id = leg->stats->id,
				      .name = leg->name,
				      .from_place = leg->from_place,
				      .to_place = leg->to_place,
				      .expression = leg->by_text,
				      .split = leg->stats->split,
				      .spread = leg->resolution};
}

void record_subject(const struct split_subject *subject, struct record *out)
{
	add_text(out, "of", subject->of_leg ? "leg" : "node");
	add_integer(out, "id", subject->id);
}

void record_names(const struct split_subject *subject, struct record *out)
{
	add_text(out, "name", subject->name);
	add_text(out, "from_place", subject->from_place);
	add_text(out, "to_place", subject->to_place);
}

void record_split(const struct split_subject *subject, struct record *out)
{
	const struct measure_split *split = subject->split;

	add_text(out, "expression", subject->expression);
	add_text(out, "at",
		 !subject->of_leg    ? NULL
		 : split->spec.at_to ? "to"
				     : "from");
	add_integer(out, "counted", split->count);
	add_integer(out, "distinct", split->values);
	add_integer(out, "overflow", split->overflow);
}

static void row_times(const struct split_subject *subject,
		      const struct measure_row *row, struct record *out)
{
	static const struct {
		const char *name;
		double q;
	} quantiles[] = {{"p50_ns", 0.5}, {"p90_ns", 0.9}, {"p99_ns", 0.99}};
	double value;

	add_integer(out, "total_ns", row->total);
	if (measure_row_below_resolution(row, subject->spread))
		add_null(out, "mean_ns");
	else
		add_number(out, "mean_ns",
			   (double)row->total / (double)row->count);
	if (row->count > row->interrupted) {
		add_integer(out, "min_ns", row->min);
		add_integer(out, "max_ns", row->max);
	} else {
		add_null(out, "min_ns");
		add_null(out, "max_ns");
	}
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		if (measure_row_quantile(row, quantiles[i].q, &value))
			add_number(out, quantiles[i].name, value);
		else
			add_null(out, quantiles[i].name);
	}
	add_integer(out, "interrupted", (__int128)row->interrupted);
}

static const char *const time_names[] = {"total_ns", "mean_ns",    "min_ns",
					 "max_ns",   "p50_ns",     "p90_ns",
					 "p99_ns",   "interrupted"};

static void no_times(struct record *out)
{
	for (size_t i = 0; i < sizeof(time_names) / sizeof(*time_names); i++)
		add_null(out, time_names[i]);
}

void record_row(const struct split_subject *subject,
		const struct measure_row *row, struct record *out)
{
	static const char *const kinds[] = {[ROW_VALUE] = "value",
					    [ROW_OTHER] = "other",
					    [ROW_ERROR] = "error"};
	struct str share = {0};

	add_text(out, "kind", kinds[row->kind]);
	add_label(out, "value", row);
	add_integer(out, "count", row->count);
	share_text(row->count, subject->split->count, &share);
	add_decimal(out, "percent", &share);
	if (subject->of_leg)
		row_times(subject, row, out);
	else
		no_times(out);
}

void record_no_row(struct record *out)
{
	add_null(out, "kind");
	add_null(out, "value");
	add_null(out, "count");
	add_null(out, "percent");
	no_times(out);
}

void record_of_left_counts(const struct left_counts *counts, struct record *out)
{
	bool has_times = counts->added_up > 0;

	add_text(out, "name", counts->name);
	add_integer(out, "pid", counts->pid);
	add_integer(out, "executions", counts->begun);
	add_integer(out, "short", counts->added_up);
	add_time(out, "total_ns", has_times, counts->total);
	add_time(out, "p50_ns", has_times, counts->p50);
	add_time(out, "p99_ns", has_times, counts->p99);
	add_time(out, "max_ns", has_times, counts->max);
}

void record_of_execution(const struct execution *execution, const char *name,
			 struct record *out)
{
	add_integer(out, "leg", execution->leg);
	add_text(out, "name", name);
	add_integer(out, "pid", execution->pid);
	add_integer(out, "tid", execution->tid);
	add_integer(out, "start_ns", execution->start);
	add_integer(out, "duration_ns", execution->duration);
	add_value(out, "key", execution->key);
	add_value(out, "value", execution->value);
	add_label(out, "by", execution->row);
	if (execution->has_cpu)
		add_integer(out, "cpu_ns", execution->cpu);
	else
		add_null(out, "cpu_ns");
	add_bool(out, "interrupted", execution->interrupted);
}
