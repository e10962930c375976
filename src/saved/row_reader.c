/* row_reader.c - see row_reader.h */
#include "row_reader.h"

#include <math.h>

#include "perftool/base/alloc.h"
#include "saved_buckets.h"
#include "split_reader.h"

/* A text that is never NULL. */
static void set_text(char **text)
{
	if (!*text)
		*text = xstrdup("");
}

/* Another word than `detail` is as `user`. */
static struct error *read_maker(struct json_stream *stream,
				struct json_row *row)
{
	static const char *const makers[] = {
		[MADE_BY_USER] = "user", [MADE_BY_DETAIL] = "detail"};
	const unsigned count = sizeof(makers) / sizeof(*makers);
	unsigned *maker = json_row_target(row);

	TRY(json_row_word(stream, row, makers, count, maker));
	if (*maker == count)
		*maker = MADE_BY_USER;
	return NULL;
}

/* ---- nodes --------------------------------------------------------------- */

#define NODE(name, type, member)                                               \
	JSON_FIELD(name, type, struct saved_node, member)

struct error *saved_node_read(struct json_stream *stream,
			      struct saved_node *out, const char **wrong)
{
	static const struct json_field fields[] = {
		NODE("id", FIELD_COUNT, id),
		NODE("kind", FIELD_TEXT, kind),
		NODE("location", FIELD_TEXT, location),
		NODE("function", FIELD_TEXT, function),
		NODE("file", FIELD_TEXT, file),
		NODE("line", FIELD_COUNT, line),
		NODE("module", FIELD_TEXT, module),
		NODE("condition", FIELD_TEXT, condition),
		NODE("count", FIELD_COUNT, count),
		NODE("errors", FIELD_COUNT, errors),
		NODE("mechanism", FIELD_TEXT, mechanism),
		NODE("deleted", FIELD_BOOL, deleted),
		JSON_READ("made_by", read_maker, struct saved_node, made_by),
		JSON_READ("by", saved_split_read, struct saved_node, split),
	};
	struct json_row row = JSON_ROW(fields, out);
	struct error *error = json_row_read(stream, &row);

	*wrong = row.wrong;
	set_text(&out->kind);
	set_text(&out->location);
	return error;
}

/* ---- processes ----------------------------------------------------------- */

static void set_unknown(struct saved_leg *leg)
{
	leg->mean = leg->stddev = leg->cpu_mean = leg->waiting_mean = NAN;
	leg->min = leg->max = leg->total_bound = NAN;
	leg->p50 = leg->p90 = leg->p99 = leg->p999 = NAN;
}

#define SHARE(name, type, member)                                              \
	JSON_FIELD(name, type, struct saved_share, member)

static const struct json_field share_fields[] = {
	SHARE("process", FIELD_COUNT, number),
	SHARE("pid", FIELD_SIGNED, pid),
	SHARE("comm", FIELD_TEXT, comm),
	SHARE("command", FIELD_TEXT, command),
	SHARE("count", FIELD_COUNT, figures.count),
	SHARE("total_ns", FIELD_INTEGER, figures.total),
	SHARE("cpu_ns", FIELD_INTEGER, figures.cpu),
	SHARE("min_ns", FIELD_NUMBER, figures.min),
	SHARE("max_ns", FIELD_NUMBER, figures.max),
	SHARE("stddev_ns", FIELD_NUMBER, figures.stddev),
	SHARE("total_bound_ns", FIELD_NUMBER, figures.total_bound),
	SHARE("cpu_count", FIELD_COUNT, figures.cpu_count),
	SHARE("cpu_mean_ns", FIELD_NUMBER, figures.cpu_mean),
	SHARE("waiting_mean_ns", FIELD_NUMBER, figures.waiting_mean),
	SHARE("interrupted", FIELD_COUNT, figures.interrupted),
	JSON_READ("buckets", saved_buckets_read, struct saved_share,
		  figures.buckets),
};

struct shares {
	struct json_row *row; /* of the leg */
	struct saved_share_list *list;
};

static struct error *read_share(void *context, struct json_stream *stream,
				const char *name)
{
	struct shares *shares = context;
	struct json_row inner;
	struct saved_share *share;
	struct error *error;

	(void)name;
	vec_push(shares->list, (struct saved_share){0});
	share = &shares->list->data[shares->list->count - 1];
	set_unknown(&share->figures);
	inner = JSON_ROW(share_fields, share);
	error = json_row_inner(stream, shares->row, &inner);
	share->figures.has_cpu = json_row_has(&inner, "cpu_ns");
	return error;
}

static struct error *read_processes(struct json_stream *stream,
				    struct json_row *row)
{
	struct shares shares = {.row = row, .list = json_row_target(row)};
	bool is_array;

	TRY(json_row_expect(stream, row, JSON_ARRAY, &is_array));
	return is_array ? json_stream_array(stream, read_share, &shares) : NULL;
}

/* ---- legs ---------------------------------------------------------------- */

static struct error *read_leg_buckets(struct json_stream *stream,
				      struct json_row *row)
{
	struct saved_leg *leg = row->into;

	TRY(saved_buckets_read(stream, row));
	saved_buckets_tidy(&leg->buckets);
	leg->has_buckets = true;
	return NULL;
}

#define LEG(name, type, member) JSON_FIELD(name, type, struct saved_leg, member)
#define READ_LEG(name, read, member)                                           \
	JSON_READ(name, read, struct saved_leg, member)

/* In the order in which perftool writes them, which is fastest. */
static const struct json_field leg_fields[] = {
	LEG("id", FIELD_COUNT, id),
	LEG("name", FIELD_TEXT, name),
	LEG("from", FIELD_COUNT, from),
	LEG("to", FIELD_COUNT, to),
	LEG("from_place", FIELD_TEXT, from_place),
	LEG("to_place", FIELD_TEXT, to_place),
	LEG("owner", FIELD_TEXT, owner),
	LEG("match", FIELD_TEXT, match),
	LEG("count", FIELD_COUNT, count),
	LEG("ignored_from", FIELD_COUNT, ignored_from),
	LEG("ignored_to", FIELD_COUNT, ignored_to),
	LEG("unwound", FIELD_COUNT, unwound),
	LEG("discarded", FIELD_COUNT, discarded),
	LEG("open", FIELD_COUNT, open),
	LEG("total_ns", FIELD_INTEGER, total),
	LEG("cpu_ns", FIELD_INTEGER, cpu),
	LEG("mean_ns", FIELD_NUMBER, mean),
	LEG("min_ns", FIELD_NUMBER, min),
	LEG("max_ns", FIELD_NUMBER, max),
	LEG("stddev_ns", FIELD_NUMBER, stddev),
	LEG("p50_ns", FIELD_NUMBER, p50),
	LEG("p90_ns", FIELD_NUMBER, p90),
	LEG("p99_ns", FIELD_NUMBER, p99),
	LEG("p999_ns", FIELD_NUMBER, p999),
	LEG("below_resolution", FIELD_BOOL, below_resolution),
	LEG("resolution_ns", FIELD_NUMBER, resolution),
	LEG("total_bound_ns", FIELD_NUMBER, total_bound),
	LEG("cpu_count", FIELD_COUNT, cpu_count),
	LEG("cpu_mean_ns", FIELD_NUMBER, cpu_mean),
	LEG("waiting_mean_ns", FIELD_NUMBER, waiting_mean),
	LEG("interrupted", FIELD_COUNT, interrupted),
	READ_LEG("made_by", read_maker, made_by),
	LEG("counted", FIELD_TEXT, counted),
	READ_LEG("by", saved_split_read, split),
	READ_LEG("processes", read_processes, shares),
	READ_LEG("buckets", read_leg_buckets, buckets),
};

/* What a comparison needs; of a run, all but the last one. */
static const struct json_field figure_fields[] = {
	LEG("id", FIELD_COUNT, id),
	LEG("name", FIELD_TEXT, name),
	LEG("count", FIELD_COUNT, count),
	LEG("total_ns", FIELD_INTEGER, total),
	LEG("mean_ns", FIELD_NUMBER, mean),
	LEG("p50_ns", FIELD_NUMBER, p50),
	LEG("p99_ns", FIELD_NUMBER, p99),
	LEG("resolution_ns", FIELD_NUMBER, resolution),
	READ_LEG("buckets", read_leg_buckets, buckets),
};

/* Reads a leg by one of the lists of fields. */
static struct error *read_leg(struct json_stream *stream, struct json_row row,
			      struct saved_leg *out, const char **wrong)
{
	struct error *error;

	set_unknown(out);
	error = json_row_read(stream, &row);
	out->has_cpu = json_row_has(&row, "cpu_ns");
	*wrong = row.wrong;
	if (!json_row_has(&row, "count"))
		*wrong = "count";
	if (!json_row_has(&row, "name"))
		*wrong = "name";
	set_text(&out->name);
	return error;
}

struct error *saved_leg_read(struct json_stream *stream, struct saved_leg *out,
			     const char **wrong)
{
	return read_leg(stream, JSON_ROW(leg_fields, out), out, wrong);
}

struct error *saved_figures_read(struct json_stream *stream, bool is_of_run,
				 struct saved_leg *out, const char **wrong)
{
	struct json_row row = JSON_ROW(figure_fields, out);

	row.count -= is_of_run;
	return read_leg(stream, row, out, wrong);
}
