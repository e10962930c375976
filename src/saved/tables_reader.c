/*
 * tables_reader.c - reads tables that perftool has written as JSON
 *
 * The object is read member by member, and each list row by row. The lists of
 * nodes, legs and histograms may come in any order; so may `schema`, which is
 * checked as soon as it comes and asked for at the end.
 */
#include <stdlib.h>

#include "compared_tables.h"
#include "head_reader.h"
#include "perftool/base/alloc.h"
#include "perftool/base/rank.h"
#include "perftool/base/search.h"
#include "perftool/saved.h"
#include "row_reader.h"
#include "saved_histogram.h"
#include "saved_parts.h"

struct reader {
	const char *path;
	struct saved_tables *tables;
	/* Legs become a part of these, whose head is `tables`; NULL: they
	 * become a part of `tables`, as all else does. */
	struct compared_tables *compared;
	struct saved_leg row; /* for that: the leg that is read */
	bool legs_have_buckets;
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

/* The error for the field `wrong`; NULL: there is none. */
static struct error *wrong_field(const struct reader *reader, const char *wrong)
{
	if (!wrong)
		return NULL;
	if (!reader->row_name)
		return error_create(ERROR_BAD_FILE,
				    "%s: `%s' has a value that perftool does "
				    "not write: save the tables again",
				    reader->path, wrong);
	return error_create(ERROR_BAD_FILE,
			    "%s: `%s' of %s %zu has a value that perftool does "
			    "not write: save the tables again",
			    reader->path, wrong, reader->row_name,
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

/* Notes which row of a list comes next. It must be an object. */
static struct error *begin_row(struct reader *reader,
			       struct json_stream *stream, const char *name)
{
	reader->row_name = name;
	reader->row_number++;
	if (json_stream_kind(stream) == JSON_OBJECT)
		return NULL;
	/* at the end of the file, and at what is no JSON, that is the error */
	TRY(json_stream_skip(stream));
	return error_create(ERROR_BAD_FILE,
			    "%s: %s %zu is no object: save the tables again",
			    reader->path, name, reader->row_number);
}

static struct error *read_node(void *context, struct json_stream *stream,
			       const char *name)
{
	struct reader *reader = context;
	struct saved_node_list *nodes = &reader->tables->nodes;
	const char *wrong;

	(void)name;
	TRY(begin_row(reader, stream, "node"));
	vec_push(nodes, (struct saved_node){0});
	TRY(saved_node_read(stream, &nodes->data[nodes->count - 1], &wrong));
	return wrong_field(reader, wrong);
}

/* Reads a leg of which only the figures are needed. */
static struct error *read_figures(struct reader *reader,
				  struct json_stream *stream)
{
	struct saved_leg *leg = &reader->row;
	const char *wrong;

	free(leg->name);
	vec_clear(&leg->buckets);
	*leg = (struct saved_leg){.buckets = leg->buckets};
	TRY(saved_figures_read(stream, reader->is_run, leg, &wrong));
	TRY(wrong_field(reader, wrong));
	compared_add(reader->compared, leg);
	return NULL;
}

static struct error *read_whole_leg(struct reader *reader,
				    struct json_stream *stream)
{
	struct saved_leg_list *legs = &reader->tables->legs;
	const char *wrong;

	vec_push(legs, (struct saved_leg){0});
	TRY(saved_leg_read(stream, &legs->data[legs->count - 1], &wrong));
	reader->legs_have_buckets |= legs->data[legs->count - 1].has_buckets;
	return wrong_field(reader, wrong);
}

static struct error *read_leg(void *context, struct json_stream *stream,
			      const char *name)
{
	struct reader *reader = context;

	(void)name;
	TRY(begin_row(reader, stream, "leg"));
	if (!reader->compared)
		return read_whole_leg(reader, stream);
	TRY(read_figures(reader, stream));
	reader->legs_have_buckets |= reader->row.has_buckets;
	return NULL;
}

/* Gives its buckets to the leg. Files of before legs had buckets have them in
 * the histograms, of those legs that have such. Legs are in the order of their
 * numbers. */
static void give_buckets(const struct reader *reader,
			 struct saved_histogram *from)
{
	const struct saved_leg_list *legs = &reader->tables->legs;
	struct saved_bucket_list none;
	struct saved_leg *leg;
	size_t at;

	SEARCH_FIRST(at, legs->count, legs->data[at].id >= from->id);
	if (at == legs->count || legs->data[at].id != from->id)
		return;
	leg = &legs->data[at];
	if (leg->buckets.count)
		return;
	none = leg->buckets;
	leg->buckets = from->buckets;
	from->buckets = none;
}

/* Keeps what is needed of a histogram, which it may change. */
static void keep_histogram(const struct reader *reader,
			   struct saved_histogram *histogram)
{
	bool is_of_leg = histogram->of_leg && histogram->class == HISTOGRAM_HDR;

	if (histogram_row_is_made(histogram) && !reader->compared) {
		vec_push(&reader->tables->histograms, *histogram);
		*histogram = (struct saved_histogram){0};
	} else if (is_of_leg && reader->compared) {
		compared_give_buckets(reader->compared, histogram->id,
				      &histogram->buckets);
	} else if (is_of_leg) {
		give_buckets(reader, histogram);
	}
}

static struct error *read_histogram(void *context, struct json_stream *stream,
				    const char *name)
{
	struct reader *reader = context;
	struct saved_histogram histogram;
	const char *wrong = NULL;
	struct error *error;

	(void)name;
	TRY(begin_row(reader, stream, "histogram"));
	error = histogram_row_read(stream, reader->legs_have_buckets,
				   &histogram, &wrong);
	if (!error)
		error = wrong_field(reader, wrong);
	if (!error)
		keep_histogram(reader, &histogram);
	histogram_row_deinit(&histogram);
	return error;
}

/* ---- the head ------------------------------------------------------------ */

/* Reads a member of the head. `*is_known`: is it one? */
static struct error *read_head(struct reader *reader,
			       struct json_stream *stream, const char *name,
			       bool *is_known)
{
	struct json_row row = head_row(reader->tables);

	TRY(json_row_member(stream, &row, name, is_known));
	return wrong_field(reader, row.wrong);
}

static struct error *read_schema(struct reader *reader,
				 struct json_stream *stream)
{
	enum json_kind kind = json_stream_kind(stream);
	struct json_value value;

	if (kind == JSON_ARRAY || kind == JSON_OBJECT)
		return json_stream_skip(stream);
	TRY(json_stream_value(stream, &value));
	reader->has_schema = json_whole(&value, &reader->schema);
	reader->is_foreign =
		reader->has_schema && reader->schema != SAVED_SCHEMA;
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
	struct reader inner = {.path = reader->path, .is_run = true};
	struct error *error;

	(void)name;
	if (reader->compared) {
		inner.compared = compared_create(reader->compared->names);
		inner.tables = inner.compared->head;
		compared_take_run(reader->compared, inner.compared);
	} else {
		inner.tables = saved_create();
		vec_push(&reader->tables->runs, inner.tables);
	}
	error = read_object(&inner, stream);
	saved_leg_deinit(&inner.row);
	return error;
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

/* Does a comparison need nothing of this member, which is a large one? */
static bool is_unneeded(const struct reader *reader, const char *name)
{
	return str_equal(name, "nodes") ||
	       (str_equal(name, "histograms") &&
		(reader->legs_have_buckets || reader->is_run));
}

static struct error *read_member(void *context, struct json_stream *stream,
				 const char *name)
{
	struct reader *reader = context;
	bool is_known;

	if (reader->is_foreign) {
		if (str_equal(name, "perftool"))
			TRY(read_head(reader, stream, name, &is_known));
		return of_other_version(reader);
	}
	if (str_equal(name, "schema"))
		return read_schema(reader, stream);
	if (reader->compared && is_unneeded(reader, name))
		return json_stream_skip(stream);
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
	TRY(read_head(reader, stream, name, &is_known));
	if (is_known)
		return NULL;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (str_equal(others[i], name))
			reader->other = others[i];
	return json_stream_skip(stream);
}

static struct error *read_object(struct reader *reader,
				 struct json_stream *stream)
{
	if (json_stream_kind(stream) == JSON_ARRAY)
		return error_create(
			ERROR_BAD_FILE,
			"%s begins with a list, and tables are an object: "
			"`-f json -o FILE' and `save tables FILE.json' write "
			"tables",
			reader->path);
	TRY(json_stream_object(stream, read_member, reader));
	if (reader->is_foreign)
		return of_other_version(reader);
	if (!reader->has_schema || !reader->has_legs)
		return no_tables(reader);
	if (reader->tables->rank < 0)
		reader->tables->rank = RANK_NONE;
	if (reader->compared)
		compared_index(reader->compared);
	else
		saved_index(reader->tables);
	return NULL;
}

/* What is made of a file: tables, or what a comparison needs of them. */
struct made {
	struct saved_tables *tables;
	struct compared_tables *compared;
	struct compared_names *names; /* NULL: tables are made */
};

static void destroy_made(struct made *made)
{
	if (made->names)
		compared_destroy(made->compared);
	else
		saved_destroy(made->tables);
	made->compared = NULL;
	made->tables = NULL;
}

/* Reads the objects of a file one after the other, and keeps the last one. */
static struct error *read_objects(struct json_stream *stream, struct made *made)
{
	const char *path = json_stream_name(stream);
	struct error *error = NULL;
	size_t count = 0;

	do {
		struct reader reader = {.path = path};

		destroy_made(made);
		if (made->names)
			made->compared = compared_create(made->names);
		made->tables =
			made->names ? made->compared->head : saved_create();
		reader.tables = made->tables;
		reader.compared = made->compared;
		error = read_object(&reader, stream);
		saved_leg_deinit(&reader.row);
		count++;
	} while (!error && !json_stream_is_at_end(stream));
	if (error) {
		destroy_made(made);
		return error;
	}
	made->tables->path = xstrdup(path);
	made->tables->objects = count;
	return NULL;
}

/* Reads the stream, and closes it. */
static struct error *read_stream(struct json_stream *stream, struct made *made)
{
	struct error *error = read_objects(stream, made);

	json_stream_close(stream);
	return error;
}

struct error *saved_read(const char *path, const struct saved_watch *watch,
			 struct saved_tables **out)
{
	struct json_stream *stream;
	struct made made = {0};

	TRY(json_stream_open(path, &stream));
	json_stream_watch(stream, watch);
	TRY(read_stream(stream, &made));
	*out = made.tables;
	return NULL;
}

struct error *saved_parse(const char *text, size_t length, const char *name,
			  struct saved_tables **out)
{
	struct json_stream *stream = json_stream_open_text(text, length, name);
	struct made made = {0};

	TRY(read_stream(stream, &made));
	*out = made.tables;
	return NULL;
}

struct error *compared_read(const char *path, struct compared_names *names,
			    const struct saved_watch *watch,
			    struct compared_tables **out)
{
	struct made made = {.names = names};
	struct json_stream *stream;

	TRY(json_stream_open(path, &stream));
	json_stream_watch(stream, watch);
	TRY(read_stream(stream, &made));
	*out = made.compared;
	return NULL;
}

struct error *compared_parse(const char *text, size_t length, const char *name,
			     struct compared_names *names,
			     struct compared_tables **out)
{
	struct json_stream *stream = json_stream_open_text(text, length, name);
	struct made made = {.names = names};

	TRY(read_stream(stream, &made));
	*out = made.compared;
	return NULL;
}
