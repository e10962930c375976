/*
 * tables_reader.c - reads tables that perftool has written as JSON
 *
 * The object is read member by member, and each list row by row. The lists of
 * nodes, legs and histograms may come in any order; so may `schema`, which is
 * checked as soon as it comes and asked for at the end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_fields.h"
#include "json_stream.h"
#include "perftool/base/alloc.h"
#include "perftool/base/search.h"
#include "perftool/saved.h"
#include "saved_histogram.h"

struct reader {
	const char *path;
	struct saved_tables *tables;
	bool is_run; /* inside of `runs` */
	bool has_schema, has_legs;
	/* The schema is not ours. The error comes with the next member, which
	 * may be the version of perftool: it helps the reader of the message.
	 */
	bool is_foreign;
	__int128 schema;
	/* a member that other files of perftool have, and tables do not; NULL:
	 * there is none */
	const char *other;
	/* what a message calls the row that is read, and its number in its list
	 */
	const char *row_name;
	size_t row_number;
};

/* ---- errors -------------------------------------------------------------- */

static struct error *of_other_version(const struct reader *reader)
{
	return error_create(
		ERROR_BAD_FILE,
		"%s has schema %lld%s%s, and perftool " PERFTOOL_VERSION
		" reads schema %d: use the perftool that has written it, or "
		"measure again with this one",
		reader->path, (long long)reader->schema,
		reader->tables->version ? " of perftool " : "",
		reader->tables->version ? reader->tables->version : "",
		SAVED_SCHEMA);
}

static struct error *wrong_field(const struct reader *reader,
				 const struct json_row *row)
{
	if (!row->wrong)
		return NULL;
	if (!reader->row_name)
		return error_create(ERROR_BAD_FILE,
				    "%s: `%s' has a value that perftool does "
				    "not write: save the tables again",
				    reader->path, row->wrong);
	return error_create(ERROR_BAD_FILE,
			    "%s: `%s' of %s %zu has a value that perftool does "
			    "not write: save the tables again",
			    reader->path, row->wrong, reader->row_name,
			    reader->row_number);
}

static struct error *no_tables(const struct reader *reader)
{
	if (reader->other)
		return error_create(
			ERROR_BAD_FILE,
			"%s has `%s', and no legs: it is not about tables; "
			"`-f json -o FILE' and `save tables FILE.json' write "
			"tables",
			reader->path, reader->other);
	return error_create(
		ERROR_BAD_FILE,
		"%s is JSON, but not of perftool's tables (it has no `%s'): "
		"`-f json -o FILE' and `save tables FILE.json' write them",
		reader->path, reader->has_schema ? "legs" : "schema");
}

/* ---- rows ---------------------------------------------------------------- */

/* Parses the row whose text was taken. It must be an object. The caller frees
 * it. */
static struct error *parse_row(struct reader *reader,
			       struct json_stream *stream, const char *name,
			       struct json_row *out)
{
	struct json_object *object;

	reader->row_name = name;
	reader->row_number++;
	TRY(json_stream_parse(stream, &object));
	if (!json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		return error_create(ERROR_BAD_FILE,
				    "%s: %s %zu is no object: save the tables "
				    "again",
				    reader->path, name, reader->row_number);
	}
	*out = (struct json_row){.object = object};
	return NULL;
}

/* Parses the next row, which must be an object. The caller frees it. */
static struct error *next_row(struct reader *reader, struct json_stream *stream,
			      const char *name, struct json_row *out)
{
	const char *text;

	TRY(json_stream_text(stream, &text));
	return parse_row(reader, stream, name, out);
}

static char *text_or_empty(char *text)
{
	return text ? text : xstrdup("");
}

static struct error *read_node(void *context, struct json_stream *stream,
			       const char *name)
{
	struct reader *reader = context;
	struct saved_node node;
	struct json_row row;
	struct error *error;

	(void)name;
	TRY(next_row(reader, stream, "node", &row));
	node = (struct saved_node){
		.id = row_count(&row, "id"),
		.kind = text_or_empty(row_text(&row, "kind")),
		.location = text_or_empty(row_text(&row, "location")),
		.function = row_text(&row, "function"),
		.file = row_text(&row, "file"),
		.module = row_text(&row, "module"),
		.condition = row_text(&row, "condition"),
		.mechanism = row_text(&row, "mechanism"),
		.line = (uint32_t)row_count(&row, "line"),
		.count = row_count(&row, "count"),
		.errors = row_count(&row, "errors"),
	};
	vec_push(&reader->tables->nodes, node);
	error = wrong_field(reader, &row);
	json_object_put(row.object);
	return error;
}

/* A bucket is an object with `from`, `to` and `count` in a histogram, and a
 * list of these three in a leg. */
static bool bucket_part(struct json_object *bucket, size_t index,
			struct json_object **out)
{
	static const char *const names[] = {"from", "to", "count"};

	if (json_object_is_type(bucket, json_type_object))
		return json_object_object_get_ex(bucket, names[index], out);
	if (!json_object_is_type(bucket, json_type_array) ||
	    json_object_array_length(bucket) != 3)
		return false;
	*out = json_object_array_get_idx(bucket, index);
	return true;
}

static bool read_bucket(struct json_object *object, struct saved_bucket *out)
{
	struct json_object *from, *to, *count;
	__int128 number = 0;

	if (!bucket_part(object, 0, &from) || !bucket_part(object, 1, &to) ||
	    !bucket_part(object, 2, &count) || !json_finite(from, &out->from) ||
	    !json_finite(to, &out->to) || !json_whole(count, &number) ||
	    number < 0 || number > UINT64_MAX || out->to <= out->from)
		return false;
	out->count = (uint64_t)number;
	return true;
}

/* `all`: also those that are empty. */
static void read_buckets(struct json_row *row, bool all,
			 struct saved_bucket_list *out)
{
	struct json_object *array = row_array(row, "buckets");
	size_t length = array ? json_object_array_length(array) : 0;
	double end = -INFINITY;

	for (size_t i = 0; i < length; i++) {
		struct saved_bucket bucket;

		if (!read_bucket(json_object_array_get_idx(array, i),
				 &bucket) ||
		    bucket.from < end) {
			row->wrong = "buckets";
			return;
		}
		end = bucket.to;
		if (bucket.count || all)
			vec_push(out, bucket);
	}
}

static struct error *read_leg(void *context, struct json_stream *stream,
			      const char *name)
{
	struct reader *reader = context;
	struct saved_leg leg;
	struct json_row row;
	struct error *error;

	(void)name;
	TRY(next_row(reader, stream, "leg", &row));
	leg = (struct saved_leg){
		.name = text_or_empty(row_text(&row, "name")),
		.id = row_count(&row, "id"),
		.from = row_count(&row, "from"),
		.to = row_count(&row, "to"),
		.from_place = row_text(&row, "from_place"),
		.to_place = row_text(&row, "to_place"),
		.owner = row_text(&row, "owner"),
		.match = row_text(&row, "match"),
		.counted = row_text(&row, "counted"),
		.count = row_count(&row, "count"),
		.ignored_from = row_count(&row, "ignored_from"),
		.ignored_to = row_count(&row, "ignored_to"),
		.unwound = row_count(&row, "unwound"),
		.discarded = row_count(&row, "discarded"),
		.open = row_count(&row, "open"),
		.interrupted = row_count(&row, "interrupted"),
		.total = row_integer(&row, "total_ns"),
		.has_cpu = row_has(&row, "cpu_ns"),
		.cpu = row_integer(&row, "cpu_ns"),
		.cpu_count = row_count(&row, "cpu_count"),
		.cpu_mean = row_number(&row, "cpu_mean_ns"),
		.waiting_mean = row_number(&row, "waiting_mean_ns"),
		.min = row_number(&row, "min_ns"),
		.max = row_number(&row, "max_ns"),
		.mean = row_number(&row, "mean_ns"),
		.stddev = row_number(&row, "stddev_ns"),
		.p50 = row_number(&row, "p50_ns"),
		.p90 = row_number(&row, "p90_ns"),
		.p99 = row_number(&row, "p99_ns"),
		.p999 = row_number(&row, "p999_ns"),
		.resolution = row_number(&row, "resolution_ns"),
		.below_resolution = row_bool(&row, "below_resolution"),
	};
	if (isnan(leg.resolution))
		leg.resolution = 0;
	if (!row_has(&row, "name") || !row_has(&row, "count"))
		row.wrong = row_has(&row, "name") ? "count" : "name";
	leg.has_buckets = row_has(&row, "buckets");
	read_buckets(&row, false, &leg.buckets);
	vec_push(&reader->tables->legs, leg);
	error = wrong_field(reader, &row);
	json_object_put(row.object);
	return error;
}

/* Finds a leg in the list, which is in the order of the numbers. */
static struct saved_leg *leg_of_id(const struct saved_tables *tables,
				   uint64_t id)
{
	const struct saved_leg_list *legs = &tables->legs;
	size_t at;

	SEARCH_FIRST(at, legs->count, legs->data[at].id >= id);
	return at < legs->count && legs->data[at].id == id ? &legs->data[at]
							   : NULL;
}

/* Is this the hdr histogram of a leg, as the text of a row shows at its
 * beginning? (In a string a quote has a backslash before it.) */
static bool is_of_timed_leg(const char *text)
{
	return str_starts(text, "{ \"of\": \"leg\"") &&
	       strstr(text, "\"class\": \"hdr\"");
}

/* Passes over the hdr histogram of a leg if the legs have buckets: it is the
 * same again, and such rows are a third of a file. Otherwise, parses the row.
 */
static struct error *next_histogram(struct reader *reader,
				    struct json_stream *stream,
				    struct json_row *out)
{
	const struct saved_leg_list *legs = &reader->tables->legs;
	const char *text;

	TRY(json_stream_text(stream, &text));
	if (legs->count && legs->data[0].has_buckets && is_of_timed_leg(text)) {
		reader->row_number++;
		*out = (struct json_row){0};
		return NULL;
	}
	return parse_row(reader, stream, "histogram", out);
}

/* Files of before legs had buckets have them in the histograms, of those legs
 * that have such. */
static struct error *read_histogram(void *context, struct json_stream *stream,
				    const char *name)
{
	struct reader *reader = context;
	struct saved_histogram histogram;
	struct saved_leg *leg = NULL;
	struct json_row row;
	struct error *error;

	(void)name;
	TRY(next_histogram(reader, stream, &row));
	if (!row.object)
		return NULL;
	if (histogram_row_read(&row, &histogram)) {
		read_buckets(&row, histogram.class != HISTOGRAM_HDR,
			     &histogram.buckets);
		vec_push(&reader->tables->histograms, histogram);
	} else if (histogram.of_leg && histogram.class == HISTOGRAM_HDR) {
		leg = leg_of_id(reader->tables, row_count(&row, "id"));
	}
	if (leg && !leg->buckets.count)
		read_buckets(&row, false, &leg->buckets);
	error = wrong_field(reader, &row);
	json_object_put(row.object);
	return error;
}

/* ---- the head ------------------------------------------------------------ */

static void read_program(struct json_row *row, struct saved_tables *tables)
{
	struct json_object *args = row_array(row, "args");
	size_t length = args ? json_object_array_length(args) : 0;

	free(tables->program);
	free(tables->build_id);
	free(tables->state);
	tables->program = row_text(row, "path");
	tables->build_id = row_text(row, "build_id");
	tables->pid = (int64_t)row_integer(row, "pid");
	tables->state = row_text(row, "state");
	tables->exit_status = row_has(row, "exit_status")
				      ? (int)row_integer(row, "exit_status")
				      : -1;
	tables->exit_signal = (int)row_integer(row, "exit_signal");
	string_list_clear(&tables->arguments);
	for (size_t i = 0; i < length; i++) {
		const char *word = json_object_get_string(
			json_object_array_get_idx(args, i));

		vec_push(&tables->arguments, xstrdup(word ? word : ""));
	}
	tables->has_arguments = args != NULL;
}

static void read_clock(struct json_row *row, struct saved_tables *tables)
{
	free(tables->clock);
	tables->clock = row_text(row, "source");
	tables->clock_resolution = row_number(row, "resolution_ns");
}

static void read_summary(struct json_row *row, struct saved_tables *tables)
{
	tables->elapsed = row_count(row, "elapsed_ns");
	tables->overhead = row_count(row, "overhead_ns");
	tables->added_overhead = row_count(row, "added_overhead_ns");
	tables->breaks = row_count(row, "breaks");
	tables->passed = row_count(row, "passed_over");
	tables->followed = row_count(row, "followed");
}

static void read_interval(struct json_row *row, struct saved_tables *tables)
{
	(void)row;
	tables->is_interval = true;
}

static void read_texts(struct json_row *row, const char *name,
		       struct string_list *out)
{
	struct json_object *array = row_array(row, name);

	for (size_t i = 0; array && i < json_object_array_length(array); i++) {
		const char *text = json_object_get_string(
			json_object_array_get_idx(array, i));

		vec_push(out, xstrdup(text ? text : ""));
	}
}

static void read_merged(struct json_row *row, struct saved_tables *tables)
{
	struct json_object *ranks = row_array(row, "ranks");
	__int128 rank;

	tables->merged_files = row_count(row, "files");
	for (size_t i = 0; ranks && i < json_object_array_length(ranks); i++)
		if (json_whole(json_object_array_get_idx(ranks, i), &rank))
			vec_push(&tables->merged_ranks, (int64_t)rank);
	read_texts(row, "hosts", &tables->merged_hosts);
	read_texts(row, "programs", &tables->merged_programs);
}

/* Members that are objects, and how each is read. */
static const struct {
	const char *name;
	void (*read)(struct json_row *row, struct saved_tables *tables);
} objects[] = {
	{"program", read_program}, {"clock", read_clock},
	{"summary", read_summary}, {"interval", read_interval},
	{"merged", read_merged},
};

/* Members that are texts. */
static const struct {
	const char *name;
	size_t offset;
} texts[] = {
	{"perftool", offsetof(struct saved_tables, version)},
	{"at", offsetof(struct saved_tables, at)},
	{"started", offsetof(struct saved_tables, started)},
	{"ended", offsetof(struct saved_tables, ended)},
	{"host", offsetof(struct saved_tables, host)},
	{"kernel", offsetof(struct saved_tables, kernel)},
	{"cpu", offsetof(struct saved_tables, cpu)},
};

/* Reads the member `name`, which is the only one of the row. Returns false if
 * the tables need no such member. */
static void read_named(struct json_row *row, const char *name,
		       struct saved_tables *tables)
{
	if (str_equal(name, "rank") && row_has(row, name))
		tables->rank = (int64_t)row_count(row, name);
	if (str_equal(name, "failed_runs"))
		tables->failed_runs = row_count(row, name);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		char **text = (char **)((char *)tables + texts[i].offset);

		if (!str_equal(texts[i].name, name))
			continue;
		free(*text);
		*text = row_text(row, name);
	}
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		struct json_row inner = {.object = NULL};

		if (!str_equal(objects[i].name, name))
			continue;
		inner.object = row_object(row, name);
		if (inner.object)
			objects[i].read(&inner, tables);
		if (inner.wrong)
			row->wrong = inner.wrong;
	}
}

static bool is_head(const char *name)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (str_equal(texts[i].name, name))
			return true;
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		if (str_equal(objects[i].name, name))
			return true;
	return str_equal(name, "rank") || str_equal(name, "failed_runs");
}

static struct error *read_head(struct reader *reader,
			       struct json_stream *stream, const char *name)
{
	struct json_row row;
	struct json_object *value;
	struct error *error;

	TRY(json_stream_value(stream, &value));
	row = (struct json_row){.object = json_object_new_object()};
	json_object_object_add(row.object, name, value);
	read_named(&row, name, reader->tables);
	error = wrong_field(reader, &row);
	json_object_put(row.object);
	return error;
}

static struct error *read_schema(struct reader *reader,
				 struct json_stream *stream)
{
	struct json_object *value;
	__int128 schema = 0;
	bool is_whole;

	TRY(json_stream_value(stream, &value));
	is_whole = value && json_whole(value, &schema);
	json_object_put(value);
	reader->has_schema = is_whole;
	reader->schema = schema;
	reader->is_foreign = is_whole && schema != SAVED_SCHEMA;
	/* the version is known if it came first */
	return reader->is_foreign && reader->tables->version
		       ? of_other_version(reader)
		       : NULL;
}

/* ---- the object ---------------------------------------------------------- */

/* Members of other files that perftool writes: a profile, a flat profile, a
 * call graph, the table of functions, what `top' prints, a comparison. */
static const char *const others[] = {"samples", "measurement", "functions",
				     "graph",   "ticks",       "comparisons"};

static struct error *read_object(struct reader *reader,
				 struct json_stream *stream);

static struct error *read_run(void *context, struct json_stream *stream,
			      const char *name)
{
	struct reader *reader = context;
	struct reader inner = {
		.path = reader->path, .tables = saved_create(), .is_run = true};

	(void)name;
	vec_push(&reader->tables->runs, inner.tables);
	return read_object(&inner, stream);
}

static struct error *read_list(struct reader *reader,
			       struct json_stream *stream, json_visit_fn *read)
{
	struct error *error;

	reader->row_number = 0;
	error = json_stream_array(stream, read, reader);
	reader->row_name = NULL;
	return error;
}

static struct error *read_member(void *context, struct json_stream *stream,
				 const char *name)
{
	struct reader *reader = context;

	if (reader->is_foreign) {
		if (str_equal(name, "perftool"))
			TRY(read_head(reader, stream, name));
		return of_other_version(reader);
	}
	if (str_equal(name, "schema"))
		return read_schema(reader, stream);
	if (str_equal(name, "nodes"))
		return read_list(reader, stream, read_node);
	if (str_equal(name, "histograms"))
		return read_list(reader, stream, read_histogram);
	if (str_equal(name, "runs") && !reader->is_run)
		return read_list(reader, stream, read_run);
	if (str_equal(name, "legs")) {
		reader->has_legs = true;
		return read_list(reader, stream, read_leg);
	}
	if (is_head(name))
		return read_head(reader, stream, name);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (str_equal(others[i], name))
			reader->other = others[i];
	return json_stream_skip(stream);
}

static struct error *read_object(struct reader *reader,
				 struct json_stream *stream)
{
	TRY(json_stream_object(stream, read_member, reader));
	if (reader->is_foreign)
		return of_other_version(reader);
	if (!reader->has_schema || !reader->has_legs)
		return no_tables(reader);
	saved_index(reader->tables);
	return NULL;
}

/* Reads the objects of a file one after the other, and keeps the last one. */
static struct error *read_objects(const char *path, struct json_stream *stream,
				  struct saved_tables **out)
{
	struct saved_tables *tables = NULL;
	struct error *error = NULL;
	size_t count = 0;

	do {
		struct reader reader = {.path = path};

		saved_destroy(tables);
		tables = reader.tables = saved_create();
		error = read_object(&reader, stream);
		count++;
	} while (!error && !json_stream_is_at_end(stream));
	if (error) {
		saved_destroy(tables);
		return error;
	}
	tables->path = xstrdup(path);
	tables->objects = count;
	*out = tables;
	return NULL;
}

struct error *saved_read(const char *path, struct saved_tables **out)
{
	struct json_stream *stream;
	struct error *error;

	TRY(json_stream_open(path, &stream));
	error = read_objects(json_stream_name(stream), stream, out);
	json_stream_close(stream);
	return error;
}

struct error *saved_parse(const char *text, size_t length, const char *name,
			  struct saved_tables **out)
{
	struct json_stream *stream;
	struct error *error;

	TRY(json_stream_open_text(text, length, name, &stream));
	error = read_objects(json_stream_name(stream), stream, out);
	json_stream_close(stream);
	return error;
}
