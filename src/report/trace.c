/*
 * trace.c - every execution as a row of a file
 *
 * A trace in Chrome's format is one object with a list of events. The first
 * event names the trace, so that each execution can start with a comma. An
 * execution is a pair of async events, "b" and "e", with an id of its own,
 * because the executions of a leg overlap. The format has times in
 * microseconds; the nanoseconds are the decimals. What lies inside an execution
 * is a tree of such events, which have the id of the execution: a viewer shows
 * events of one id as nested.
 */
#include <errno.h>
#include <inttypes.h>

#include "perftool/base/alloc.h"
#include "perftool/document.h"
#include "perftool/inside.h"
#include "perftool/measure/measured_legs.h"
#include "report/figures/figures.h"
#include "report/records/records.h"

/* Write the text and free it. Returns false, with errno set, if the file could
 * not be written. */
static bool put(FILE *file, struct str *text)
{
	size_t length = text->length;
	bool written;

	errno = 0;
	written = fwrite(str_text(text), 1, length, file) == length &&
		  !ferror(file);
	str_deinit(text);
	/* A file can have its error flag from an earlier flush of all files,
	 * whose errno is lost. This flush fails for the same reason, and sets
	 * errno again. */
	if (!written && !errno)
		fflush(file);
	if (!written && !errno)
		errno = EIO;
	return written;
}

bool trace_begin(FILE *file, enum trace_format format)
{
	struct str text = {0};

	if (format == TRACE_CSV)
		str_append(&text, "leg,name,pid,tid,start_ns,duration_ns,"
				  "key,value,by,cpu_ns,interrupted\n");
	else
		str_append(&text,
			   "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
			   "{\"name\":\"trace_name\",\"ph\":\"M\",\"pid\":0,"
			   "\"tid\":0,\"args\":{\"name\":\"perftool\"}}");
	return put(file, &text);
}

static void quoted(const char *text, struct str *out)
{
	struct json_object *object = document_text(text);

	str_append(out,
		   json_object_to_json_string_ext(
			   object, JSON_C_TO_STRING_PLAIN |
					   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

bool trace_process(FILE *file, int32_t pid, const char *name)
{
	struct str text = {0};

	str_printf(&text,
		   ",\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%" PRId32
		   ",\"tid\":%" PRId32 ",\"args\":{\"name\":",
		   pid, pid);
	quoted(name, &text);
	str_append(&text, "}}");
	return put(file, &text);
}

static void csv_row(const struct execution *execution, const char *leg_name,
		    struct str *out)
{
	CLEANUP(free_pointer) char *name = row_name(execution->row);
	char buffer[32];

	str_printf(out, "%" PRIu32 ",", execution->leg);
	csv_text(leg_name ? leg_name : "", out);
	str_printf(out, ",%" PRId32 ",%" PRId32 ",%" PRIu64 ",%" PRId64 ",",
		   execution->pid, execution->tid, execution->start,
		   execution->duration);
	if (execution->key.kind != VALUE_NONE)
		str_append(out, value_format(execution->key, buffer));
	str_append_char(out, ',');
	if (execution->value.kind != VALUE_NONE)
		str_append(out, value_format(execution->value, buffer));
	str_append_char(out, ',');
	if (name)
		csv_text(name, out);
	str_append_char(out, ',');
	if (execution->has_cpu)
		str_printf(out, "%" PRId64, execution->cpu);
	str_printf(out, ",%s\n", execution->interrupted ? "true" : "false");
}

static void microseconds(__int128 ns, struct str *out)
{
	decimal(ns / 1000, out);
	str_printf(out, ".%03u", (unsigned)(ns % 1000));
}

static void chrome_event(const struct execution *execution, uint64_t serial,
			 const char *leg_name, const char *phase, __int128 at,
			 struct str *out)
{
	str_append(out, ",\n{\"name\":");
	quoted(leg_name ? leg_name : "", out);
	str_printf(out,
		   ",\"cat\":\"leg\",\"ph\":\"%s\",\"id\":\"%" PRIu64
		   "\",\"pid\":%" PRId32 ",\"tid\":%" PRId32 ",\"ts\":",
		   phase, serial, execution->pid, execution->tid);
	microseconds(at, out);
}

static void chrome_value(const char *name, struct value value, struct str *out)
{
	char buffer[32];

	str_printf(out, "\"%s\":", name);
	if (value.kind == VALUE_NONE)
		str_append(out, "null");
	else
		quoted(value_format(value, buffer), out);
}

static void chrome_row(const struct execution *execution, uint64_t serial,
		       const char *leg_name, struct str *out)
{
	CLEANUP(free_pointer) char *name = row_name(execution->row);
	__int128 start = execution->start;
	int64_t length = execution->duration > 0 ? execution->duration : 0;

	chrome_event(execution, serial, leg_name, "b", start, out);
	str_printf(out,
		   ",\"args\":{\"leg\":%" PRIu32 ",\"duration_ns\":%" PRId64
		   ",",
		   execution->leg, execution->duration);
	chrome_value("key", execution->key, out);
	str_append_char(out, ',');
	chrome_value("value", execution->value, out);
	str_append(out, ",\"by\":");
	if (name)
		quoted(name, out);
	else
		str_append(out, "null");
	str_append(out, ",\"cpu_ns\":");
	if (execution->has_cpu)
		str_printf(out, "%" PRId64, execution->cpu);
	else
		str_append(out, "null");
	str_printf(out, ",\"interrupted\":%s}}",
		   execution->interrupted ? "true" : "false");
	chrome_event(execution, serial, leg_name, "e", start + length, out);
	str_append_char(out, '}');
}

bool trace_row(FILE *file, enum trace_format format,
	       const struct execution *execution, uint64_t serial,
	       const char *leg_name)
{
	struct str text = {0};

	if (format == TRACE_CSV)
		csv_row(execution, leg_name, &text);
	else
		chrome_row(execution, serial, leg_name, &text);
	return put(file, &text);
}

/* ---- what lies inside an execution --------------------------------------- */

struct nested {
	uint32_t leg;
	int64_t end;
};

struct nesting {
	const struct execution *execution;
	uint64_t serial;
	const struct trace_names *names;
	struct str *out;
	/* the events that are open: their legs, and when they end, in ns; the
	 * execution itself is the first of them */
	VEC(struct nested) open;
};

/* Append an event of the tree. `at`: ns since the execution began. */
static void nested_event(struct nesting *nesting, bool is_node, uint32_t id,
			 const char *phase, int64_t at)
{
	const struct execution *execution = nesting->execution;
	struct str name = {0};

	nesting->names->append(nesting->names->context, is_node, id, &name);
	str_append(nesting->out, ",\n{\"name\":");
	quoted(str_text(&name), nesting->out);
	str_deinit(&name);
	str_printf(nesting->out,
		   ",\"cat\":\"slowest\",\"ph\":\"%s\",\"id\":\"%" PRIu64
		   "\",\"pid\":%" PRId32 ",\"tid\":%" PRId32 ",\"ts\":",
		   phase, nesting->serial, execution->pid, execution->tid);
	microseconds((__int128)execution->start + at, nesting->out);
}

static void open_event(struct nesting *nesting, bool is_node, uint32_t id,
		       int64_t at, int64_t duration, struct value value)
{
	nested_event(nesting, is_node, id, is_node ? "n" : "b", at);
	str_printf(nesting->out,
		   ",\"args\":{\"%s\":%" PRIu32 ",\"duration_ns\":%" PRId64 ",",
		   is_node ? "node" : "leg", id, duration);
	chrome_value("value", value, nesting->out);
	str_append(nesting->out, "}}");
}

/* Close events until only `depth` of them are open. */
static void close_events(struct nesting *nesting, size_t depth)
{
	while (nesting->open.count > depth) {
		const struct nested *last =
			&nesting->open.data[--nesting->open.count];

		nested_event(nesting, false, last->leg, "e", last->end);
		str_append_char(nesting->out, '}');
	}
}

static int64_t at_most(int64_t value, int64_t most)
{
	return value < most ? value : most;
}

static void nest_entry(struct nesting *nesting,
		       const struct inside_entry *entry)
{
	int64_t from = entry->offset > 0 ? entry->offset : 0;
	int64_t length = entry->duration > 0 ? entry->duration : 0;
	int64_t around;

	close_events(nesting, entry->depth + 1);
	around = nesting->open.data[nesting->open.count - 1].end;
	from = at_most(from, around);
	open_event(nesting, entry->is_hit, entry->id, from, entry->duration,
		   entry->value);
	if (!entry->is_hit)
		vec_push(&nesting->open,
			 (struct nested){entry->id,
					 at_most(from + length, around)});
}

bool trace_inside(FILE *file, const struct execution *execution,
		  uint64_t serial, const struct trace_names *names)
{
	const struct inside *inside = execution->inside;
	struct str text = {0};
	struct nesting nesting = {.execution = execution,
				  .serial = serial,
				  .names = names,
				  .out = &text};
	int64_t whole = execution->duration > 0 ? execution->duration : 0;

	open_event(&nesting, false, execution->leg, 0, execution->duration,
		   execution->value);
	vec_push(&nesting.open, (struct nested){execution->leg, whole});
	for (size_t i = 0; i < inside->entries.count; i++)
		nest_entry(&nesting, &inside->entries.data[i]);
	close_events(&nesting, 0);
	vec_free(&nesting.open);
	return put(file, &text);
}

bool trace_end(FILE *file, enum trace_format format)
{
	struct str text = {0};

	if (format == TRACE_CHROME)
		str_append(&text, "\n]}\n");
	return put(file, &text) && fflush(file) == 0;
}
