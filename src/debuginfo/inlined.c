/*
 * inlined.c - the copies of a function that were inlined into others
 *
 * All units have to be looked at for it, once: index.h.
 */
#include <string.h>

#include "index.h"
#include "lines.h"
#include "names.h"
#include "overloads.h"
#include "patterns.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "qualified.h"
#include "symbols.h"

static bool matches(const struct pattern *pattern, const char *name)
{
	if (is_mangled(name))
		return str_equal(pattern->text, name) ||
		       pattern_matches_mangled(pattern, name);
	return pattern_matches_linked(pattern, name);
}

static int compare(const void *a_, const void *b_)
{
	const struct line_place *a = a_, *b = b_;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Whether a name says enough to tell that it is meant. */
enum answer { ANSWER_NO, ANSWER_YES, ANSWER_MAYBE };

/* Those calls of a scan whose name matches. */
static void find_calls(const struct scan *scan, const struct pattern *pattern,
		       struct line_list *out)
{
	enum answer *match = xcalloc(scan->names.count + 1, sizeof(*match));
	bool any = false;

	for (size_t i = 0; i < scan->names.count; i++) {
		const char *name = scan->names.data[i];

		if (matches(pattern, name))
			match[i] = ANSWER_YES;
		else if (!is_mangled(name) &&
			 qualified_may_match(pattern, name))
			match[i] = ANSWER_MAYBE;
		any |= match[i] != ANSWER_NO;
	}
	for (size_t i = 0; any && i < scan->calls.count; i++) {
		const struct scan_call *call = &scan->calls.data[i];
		struct line_place place = {.address = call->address};

		if (match[call->name] == ANSWER_YES ||
		    (match[call->name] == ANSWER_MAYBE &&
		     qualified_matches_call(scan->file, call->address,
					    scan->names.data[call->name],
					    pattern)))
			vec_push(out, place);
	}
	free(match);
}

static void find_copies(const struct index *index,
			const struct pattern *pattern, struct line_list *out)
{
	for (size_t i = 0; i < index->scan_count; i++)
		find_calls(&index->scans[i], pattern, out);
}

/* Copies of functions of this very name, or that it is a glob for. */
static void find_by_name(const struct index *index, const char *name,
			 struct line_list *out)
{
	struct pattern pattern;

	pattern_init(&pattern, name);
	find_copies(index, &pattern, out);
	pattern_deinit(&pattern);
}

struct error *debugfile_find_inlined(struct debugfile *file, const char *name,
				     struct line_list *out)
{
	const struct index *index = file_index(file);
	CLEANUP(free_pointer) char *expanded = NULL;
	size_t first = out->count, kept = first;
	bool glob = debuginfo_is_glob(name);

	find_by_name(index, name, out);
	if (out->count == first && !glob)
		expanded = expand_typedefs(file, name);
	if (expanded)
		find_by_name(index, expanded, out);
	/* a name is one for functions and their copies alike */
	if (out->count == first && !glob && str_is_glob(name) &&
	    !names_function(file, name)) {
		struct pattern pattern;

		pattern_init_glob(&pattern, name);
		find_copies(index, &pattern, out);
		pattern_deinit(&pattern);
	}
	if (out->count > first)
		qsort(out->data + first, out->count - first, sizeof(*out->data),
		      compare);
	for (size_t i = first; i < out->count; i++) {
		struct line_place place = out->data[i];

		if (kept > first &&
		    out->data[kept - 1].address == place.address)
			continue;
		line_at(file, place.address, &place.file, &place.line);
		out->data[kept++] = place;
	}
	out->count = kept;
	return NULL;
}

void debugfile_read_all(struct debugfile *file)
{
	file_index(file);
}
