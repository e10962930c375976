/*
 * inlined.c - the copies of a function that were inlined into others
 *
 * All units have to be looked at for it, once: index.h.
 */
#include <string.h>

#include "index.h"
#include "names.h"
#include "patterns.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
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

/* Those calls of a scan whose name matches. */
static void find_calls(const struct scan *scan, const struct pattern *pattern,
		       struct line_list *out)
{
	bool *match = xcalloc(scan->names.count + 1, sizeof(*match));
	bool any = false;

	for (size_t i = 0; i < scan->names.count; i++) {
		match[i] = matches(pattern, scan->names.data[i]);
		any |= match[i];
	}
	for (size_t i = 0; any && i < scan->calls.count; i++) {
		const struct scan_call *call = &scan->calls.data[i];
		struct line_place place = {.address = call->address};

		if (match[call->name])
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

struct error *debugfile_find_inlined(struct debugfile *file,
				     const char *pattern_text,
				     struct line_list *out)
{
	const struct index *index = file_index(file);
	size_t first = out->count, kept = first;
	struct pattern pattern;

	if (!str_is_glob(pattern_text) || may_be_exact(pattern_text)) {
		pattern_init_exact(&pattern, pattern_text);
		find_copies(index, &pattern, out);
		pattern_deinit(&pattern);
	}
	/* a name is one for functions and their copies alike */
	if (out->count == first && str_is_glob(pattern_text) &&
	    !names_function(file, pattern_text)) {
		pattern_init(&pattern, pattern_text);
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
		debugfile_source_at(file, place.address, &place.file,
				    &place.line);
		out->data[kept++] = place;
	}
	out->count = kept;
	return NULL;
}

void debugfile_read_all(struct debugfile *file)
{
	file_index(file);
}
