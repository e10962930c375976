/*
 * graph_records.c - a call graph as JSON and CSV
 *
 * As in the text, an entry is named by its index, which is counted from 1.
 */
#include "perftool/report/graph_listing.h"
#include "procedure_record.h"

static const char *const entry_kinds[] = {[GRAPH_PROCEDURE] = "procedure",
					  [GRAPH_CYCLE] = "cycle",
					  [GRAPH_OTHER] = "other",
					  [GRAPH_UNKNOWN] = "unknown"};
static const char *const line_kinds[] = {
	[GRAPH_CALL] = "call",     [GRAPH_INNER_CALL] = "inner_call",
	[GRAPH_MEMBER] = "member", [GRAPH_SPONTANEOUS] = "spontaneous",
	[GRAPH_OPEN] = "open",     [GRAPH_BEYOND] = "other"};

/* A number that is not known of what was not counted. */
static void add_counted(struct record *record, const char *name, bool is_known,
			__int128 number)
{
	if (is_known)
		add_integer(record, name, number);
	else
		add_null(record, name);
}

static uint32_t procedure_of(const struct graph_entry *entry)
{
	return entry->kind == GRAPH_PROCEDURE ? entry->procedure : NO_PROCEDURE;
}

static const char *name_without_procedure(const struct graph_entry *entry)
{
	switch (entry->kind) {
	case GRAPH_OTHER:
		return "<other>";
	case GRAPH_UNKNOWN:
		return "<unknown>";
	default:
		return NULL;
	}
}

static void record_entry(const struct graph_report *report, size_t index,
			 struct record *out)
{
	const struct graph_entry *entry = &report->graph->entries.data[index];
	bool counted = entry->is_counted;

	add_integer(out, "index", (__int128)index + 1);
	add_text(out, "kind", entry_kinds[entry->kind]);
	record_procedure(report->procedures, procedure_of(entry),
			 name_without_procedure(entry), out);
	add_counted(out, "cycle", entry->cycle, entry->cycle);
	add_counted(out, "calls", counted, (__int128)entry->called);
	add_counted(out, "recursive_calls", counted,
		    (__int128)entry->recursive);
	add_integer(out, "self_ns", entry->self);
	add_integer(out, "descendents_ns", entry->descendants);
	add_counted(out, "elapsed_ns", counted, entry->elapsed);
	add_counted(out, "cpu_ns", report->has_cpu || report->by_cpu,
		    report->by_cpu ? graph_entry_time(entry) : entry->cpu);
	add_percent(out, "percent", graph_entry_time(entry),
		    report->graph->whole);
}

static bool names_entry(const struct graph_line *line)
{
	return line->kind == GRAPH_CALL || line->kind == GRAPH_INNER_CALL ||
	       line->kind == GRAPH_MEMBER;
}

static bool has_calls(const struct graph_line *line)
{
	return line->kind == GRAPH_CALL || line->kind == GRAPH_INNER_CALL ||
	       line->kind == GRAPH_SPONTANEOUS;
}

static void record_line(const struct graph_report *report,
			const struct graph_entry *callee,
			const struct graph_line *line, struct record *out)
{
	if (names_entry(line) && !callee)
		callee = &report->graph->entries.data[line->entry];
	add_text(out, "kind", line_kinds[line->kind]);
	add_counted(out, "entry", names_entry(line), (__int128)line->entry + 1);
	add_counted(out, "calls",
		    has_calls(line) && callee && callee->is_counted,
		    (__int128)line->count);
	add_counted(out, "self_ns", line->kind != GRAPH_INNER_CALL, line->self);
	add_counted(out, "descendents_ns", line->kind != GRAPH_INNER_CALL,
		    line->descendants);
}

/* Return the array of the parents, whose calls are calls of `callee`; or of the
 * children (NULL). */
static struct json_object *line_array(const struct graph_report *report,
				      const struct graph_entry *callee,
				      size_t first, size_t count)
{
	struct json_object *array = json_object_new_array();
	struct record record = {0};

	for (size_t i = first; i < first + count; i++) {
		record_line(report, callee, &report->graph->lines.data[i],
			    &record);
		json_object_array_add(array, json_record(&record));
	}
	return array;
}

static struct json_object *entry_object(const struct graph_report *report,
					size_t index)
{
	const struct graph_entry *entry = &report->graph->entries.data[index];
	struct json_object *object;
	struct record record = {0};

	record_entry(report, index, &record);
	object = json_record(&record);
	json_object_object_add(
		object, "parents",
		line_array(report, entry, entry->first_line, entry->parents));
	json_object_object_add(object, "children",
			       line_array(report, NULL,
					  entry->first_line + entry->parents,
					  entry->children));
	return object;
}

void report_graph_json(const struct graph_report *report, struct str *out)
{
	const struct call_graph *graph = report->graph;
	struct json_object *object = listing_object(report->measurement);
	struct json_object *entries = json_object_new_array();
	struct record record = {0};

	add_text(&record, "times", report->by_cpu ? "cpu" : "elapsed");
	add_integer(&record, "total_ns", graph->whole);
	add_counted(&record, "calls", graph->is_counted,
		    (__int128)graph->calls);
	add_integer(&record, "ticks", (__int128)graph->ticks);
	add_integer(&record, "ticks_below", (__int128)graph->ticks_below);
	add_integer(&record, "ticks_uncounted",
		    (__int128)graph->ticks_uncounted);
	json_object_object_add(object, "graph", json_record(&record));
	for (size_t i = 0; i < graph->entries.count; i++)
		json_object_array_add(entries, entry_object(report, i));
	json_object_object_add(object, "entries", entries);
	json_write(object, out);
}

void report_graph_csv(const struct graph_report *report, struct str *out)
{
	struct record record = {0};

	for (size_t i = 0; i < report->graph->entries.count; i++) {
		record_entry(report, i, &record);
		if (!i)
			csv_names(&record, out);
		csv_values(&record, out);
	}
}
