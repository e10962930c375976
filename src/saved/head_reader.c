/* head_reader.c - see head_reader.h */
#include "head_reader.h"

#include "perftool/base/alloc.h"

/* A field that is a member of the tables, also if it is a field of an object
 * inside of theirs. */
#define MEMBER(name, type, member)                                             \
	JSON_FIELD(name, type, struct saved_tables, member)
#define READ(name, read, member)                                               \
	JSON_READ(name, read, struct saved_tables, member)

/* ---- lists --------------------------------------------------------------- */

static struct error *read_text(void *context, struct json_stream *stream,
			       const char *name)
{
	struct string_list *list = context;
	struct json_value value;

	(void)name;
	if (json_stream_kind(stream) != JSON_TEXT) {
		vec_push(list, xstrdup(""));
		return json_stream_skip(stream);
	}
	TRY(json_stream_value(stream, &value));
	vec_push(list, xstrdup(value.text));
	return NULL;
}

static struct error *read_texts(struct json_stream *stream,
				struct json_row *row)
{
	struct string_list *out = json_row_target(row);
	bool is_array;

	string_list_clear(out);
	TRY(json_row_expect(stream, row, JSON_ARRAY, &is_array));
	return is_array ? json_stream_array(stream, read_text, out) : NULL;
}

static struct error *read_arguments(struct json_stream *stream,
				    struct json_row *row)
{
	struct saved_tables *tables = row->into;

	TRY(read_texts(stream, row));
	tables->has_arguments = true;
	return NULL;
}

static struct error *read_rank(void *context, struct json_stream *stream,
			       const char *name)
{
	struct saved_tables *tables = context;
	struct json_value value;

	(void)name;
	if (json_stream_kind(stream) != JSON_WHOLE)
		return json_stream_skip(stream);
	TRY(json_stream_value(stream, &value));
	if (value.kind == JSON_WHOLE)
		vec_push(&tables->merged_ranks, (int64_t)value.whole);
	return NULL;
}

static struct error *read_ranks(struct json_stream *stream,
				struct json_row *row)
{
	struct saved_tables *tables = row->into;
	bool is_array;

	TRY(json_row_expect(stream, row, JSON_ARRAY, &is_array));
	return is_array ? json_stream_array(stream, read_rank, tables) : NULL;
}

/* ---- objects ------------------------------------------------------------- */

static struct error *read_program(struct json_stream *stream,
				  struct json_row *row)
{
	static const struct json_field fields[] = {
		MEMBER("path", FIELD_TEXT, program),
		MEMBER("build_id", FIELD_TEXT, build_id),
		READ("args", read_arguments, arguments),
		MEMBER("pid", FIELD_SIGNED, pid),
		MEMBER("state", FIELD_TEXT, state),
		MEMBER("exit_status", FIELD_SIGNED, exit_status),
		MEMBER("exit_signal", FIELD_SIGNED, exit_signal),
	};
	struct json_row inner = JSON_ROW(fields, row->into);

	return json_row_inner(stream, row, &inner);
}

static struct error *read_clock(struct json_stream *stream,
				struct json_row *row)
{
	static const struct json_field fields[] = {
		MEMBER("source", FIELD_TEXT, clock),
		MEMBER("resolution_ns", FIELD_NUMBER, clock_resolution),
	};
	struct json_row inner = JSON_ROW(fields, row->into);

	return json_row_inner(stream, row, &inner);
}

static struct error *read_summary(struct json_stream *stream,
				  struct json_row *row)
{
	static const struct json_field fields[] = {
		MEMBER("elapsed_ns", FIELD_COUNT, elapsed),
		MEMBER("overhead_ns", FIELD_COUNT, overhead),
		MEMBER("breaks", FIELD_COUNT, breaks),
		MEMBER("added_overhead_ns", FIELD_COUNT, added_overhead),
		MEMBER("passed_over", FIELD_COUNT, passed),
		MEMBER("followed", FIELD_COUNT, followed),
		MEMBER("followed_int3", FIELD_COUNT, followed_int3),
	};
	struct json_row inner = JSON_ROW(fields, row->into);

	return json_row_inner(stream, row, &inner);
}

static struct error *read_interval(struct json_stream *stream,
				   struct json_row *row)
{
	struct saved_tables *tables = row->into;

	TRY(json_row_expect(stream, row, JSON_OBJECT, &tables->is_interval));
	return tables->is_interval ? json_stream_skip(stream) : NULL;
}

static struct error *read_merged(struct json_stream *stream,
				 struct json_row *row)
{
	static const struct json_field fields[] = {
		MEMBER("files", FIELD_COUNT, merged_files),
		READ("programs", read_texts, merged_programs),
		READ("hosts", read_texts, merged_hosts),
		READ("ranks", read_ranks, merged_ranks),
	};
	struct json_row inner = JSON_ROW(fields, row->into);

	return json_row_inner(stream, row, &inner);
}

/* ---- the head ------------------------------------------------------------ */

struct json_row head_row(struct saved_tables *tables)
{
	static const struct json_field fields[] = {
		MEMBER("perftool", FIELD_TEXT, version),
		MEMBER("at", FIELD_TEXT, at),
		MEMBER("started", FIELD_TEXT, started),
		MEMBER("ended", FIELD_TEXT, ended),
		MEMBER("host", FIELD_TEXT, host),
		MEMBER("kernel", FIELD_TEXT, kernel),
		MEMBER("cpu", FIELD_TEXT, cpu),
		MEMBER("rank", FIELD_SIGNED, rank),
		READ("interval", read_interval, is_interval),
		JSON_READ_ALL("program", read_program),
		JSON_READ_ALL("clock", read_clock),
		JSON_READ_ALL("summary", read_summary),
		JSON_READ_ALL("merged", read_merged),
		MEMBER("failed_runs", FIELD_COUNT, failed_runs),
	};

	return JSON_ROW(fields, tables);
}
