/*
 * inlined_calls.c - finds calls of a function that were inlined into other
 * functions
 *
 * The reader has to read all compilation units once for this (index.h). It need
 * not read them if the function's name is not among the strings of the debug
 * information.
 */
#include <ctype.h>
#include <string.h>

#include "debuginfo/index/index.h"
#include "debuginfo/lines/lines.h"
#include "debuginfo/scopes/scopes.h"
#include "debuginfo/symbols/symbols.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"

/* The least length of a name that is surely in .debug_str. Compilers may write
 * a shorter name directly into the DIE, because a reference would not be
 * smaller. */
#define SHORTEST_SHARED 4

/* ---- can there be any? --------------------------------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Does the text occur in the strings? If `ends_word` is true, a word must end
 * where the text ends. */
static bool occurs(struct bytes strings, const char *text, size_t length,
		   bool ends_word)
{
	const char *at = (const char *)strings.data, *end = at + strings.size;

	while (at < end &&
	       (at = memmem(at, (size_t)(end - at), text, length))) {
		at += length;
		if (!ends_word || at == end || !is_word(*at))
			return true;
	}
	return false;
}

/* Find the last component of the pattern, without scopes and template
 * arguments. The length is 0 if this is not a word that can be searched for. */
static const char *base_name(const struct pattern *pattern, size_t *length)
{
	const char *plain = pattern->plain, *end = plain + strlen(plain);
	const char *start;
	int depth = 0;

	while (end > plain && (depth || end[-1] == '>')) {
		end--;
		depth += (*end == '>') - (*end == '<');
	}
	for (start = end; start > plain && is_word(start[-1]);)
		start--;
	*length = (size_t)(end - start);
	return start;
}

/* Can the file have a function with the last component of the pattern as its
 * plain name? The strings have the plain name of every function. */
static bool has_base(struct bytes strings, const struct pattern *pattern)
{
	size_t length;
	const char *base = base_name(pattern, &length);

	return pattern->glob || length < SHORTEST_SHARED ||
	       occurs(strings, base, length, true);
}

static bool has_words(struct bytes strings, const struct pattern *pattern)
{
	for (size_t i = 0; i < pattern->needles.count; i++) {
		const char *needle = pattern->needles.data[i];

		if (strlen(needle) >= SHORTEST_SHARED &&
		    !occurs(strings, needle, strlen(needle), false))
			return false;
	}
	return has_base(strings, pattern);
}

/*
 * Can the file have an inlined call that the pattern names? If `base` is true,
 * only the last component of the name has to match. The answer comes from the
 * strings of the debug information, because to read the units takes much
 * longer.
 */
static bool may_have(struct debugfile *file, const struct pattern *pattern,
		     bool base)
{
	struct bytes strings;

	if (file->index && file->index->complete)
		return true;
	/* With .dwo files, or a file that dwz has made, some strings are in
	 * those files, and the strings of this file do not tell. */
	if (file_section_size(file, SECTION_ADDR) || file_shared_name(file))
		return true;
	strings = file_section(file, SECTION_STR);
	return !strings.size || (base ? has_base(strings, pattern)
				      : has_words(strings, pattern));
}

/* ---- the calls ----------------------------------------------------------- */

static int compare(const void *a_, const void *b_)
{
	const struct line_place *a = a_, *b = b_;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Does a name match the pattern? ANSWER_MAYBE: the scopes and parameters of the
 * function must be compared, too. */
enum answer { ANSWER_NO, ANSWER_YES, ANSWER_MAYBE };

/* Append the addresses of the inlined calls that a scan has found, and whose
 * function the pattern names. */
static void find_calls(const struct scan *scan, const struct pattern *pattern,
		       struct line_list *out)
{
	enum answer *match = xcalloc(scan->names.count + 1, sizeof(*match));
	bool any = false;

	for (size_t i = 0; i < scan->names.count; i++) {
		const char *name = scan->names.data[i];

		if (pattern_matches(pattern, name))
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

static uint64_t inherited_number(struct debugfile *file, const struct die *die,
				 unsigned name)
{
	struct attribute attribute;

	return die_inherited(file, die, name, &attribute) &&
			       (attribute.class == ATTRIBUTE_UNSIGNED ||
				attribute.class == ATTRIBUTE_SIGNED)
		       ? attribute.number
		       : 0;
}

/*
 * Is inlined call `number` of the chain not a call in the source? gcc may split
 * a part off a function and inline the part into the function again. The debug
 * information then gives the line of the function's declaration as the line of
 * the call.
 */
static bool is_split_part(struct debugfile *file,
			  const struct scope_chain *chain, unsigned number)
{
	struct die part, whole, part_of, whole_of;
	uint64_t line, column;

	return scope_chain_die(file, chain, number, &part) &&
	       scope_chain_die(file, chain, number + 1, &whole) &&
	       die_reference(file, &part, DW_AT_abstract_origin, &part_of) &&
	       die_reference(file, &whole, DW_AT_abstract_origin, &whole_of) &&
	       part_of.offset == whole_of.offset &&
	       die_constant(file, &part, DW_AT_call_line, &line) &&
	       die_constant(file, &part, DW_AT_call_column, &column) &&
	       line == inherited_number(file, &part_of, DW_AT_decl_line) &&
	       column == inherited_number(file, &part_of, DW_AT_decl_column);
}

/* Find the number of the innermost source frame at `address` that the pattern
 * names. False: the only code of the function that begins here is a split-off
 * part of a call that begins at an earlier address. */
static bool find_frame(struct debugfile *file, uint64_t address,
		       const struct pattern *pattern, unsigned *out)
{
	struct scope_chain chain;

	*out = 0;
	if (!scope_chain_at(file, address, &chain))
		return true;
	for (unsigned i = 0; i + 1 < chain.count; i++) {
		const char *name;
		struct die die;

		if (!scope_chain_die(file, &chain, i, &die))
			continue;
		name = die_linkage_name(file, &die);
		if (!name || !(pattern_matches(pattern, name) ||
			       (!is_mangled(name) &&
				qualified_may_match(pattern, name) &&
				qualified_matches(file, &die, pattern))))
			continue;
		*out = i;
		if (!is_split_part(file, &chain, i))
			return true;
		if (i + 1 >= chain.begins)
			return false;
	}
	return true;
}

/* Complete the list from entry `first` on: sort it, keep each address only
 * once, add the frame and line of each, and remove calls without code (address
 * 0). */
static void describe_calls(struct debugfile *file,
			   const struct pattern *pattern,
			   struct line_list *list, size_t first)
{
	size_t kept = first;

	if (list->count > first)
		qsort(list->data + first, list->count - first,
		      sizeof(*list->data), compare);
	for (size_t i = first; i < list->count; i++) {
		struct line_place place = list->data[i];

		if (!place.address ||
		    (kept > first &&
		     list->data[kept - 1].address == place.address) ||
		    !find_frame(file, place.address, pattern, &place.frame))
			continue;
		debugfile_source_at(file, place.address, &place.file,
				    &place.line);
		list->data[kept++] = place;
	}
	list->count = kept;
}

static bool is_expected(const void *pattern, const char *name)
{
	return pattern_matches(pattern, name);
}

/* Return the index of the file. If the index has to be made, compilation units
 * with inlined calls that the pattern names stay loaded. */
static const struct index *index_for(struct debugfile *file,
				     const struct pattern *pattern)
{
	struct expected_names expected = {is_expected, pattern};

	return file_index_for(file, &expected);
}

/* Append the inlined calls that the pattern names. If there are such calls,
 * `*no_code` tells whether all of them are without code. */
static void find_matching(struct debugfile *file, const struct pattern *pattern,
			  struct line_list *out, bool *no_code)
{
	const struct index *index;
	size_t first = out->count;
	bool has_code = false;

	if (!may_have(file, pattern, false))
		return;
	index = index_for(file, pattern);
	for (size_t i = 0; i < index->scan_count; i++)
		find_calls(&index->scans[i], pattern, out);
	for (size_t i = first; i < out->count; i++)
		has_code |= out->data[i].address != 0;
	if (out->count > first)
		*no_code = !has_code;
	describe_calls(file, pattern, out, first);
}

/* May the text be tried as a glob? If a function that is not inlined has this
 * name, the text is no glob. */
static bool may_be_glob(struct debugfile *file, const char *text)
{
	return str_is_glob(text) && !names_function(file, text);
}

/* Append the inlined calls of the functions that match `name`. This function
 * does not replace typedefs in the name by their types. Returns false if the
 * file has no inlined call of such a function even if the scopes and arguments
 * of the name are spelled in another way. True says nothing about whether calls
 * were appended. */
static bool find_by_name(struct debugfile *file, const char *name,
			 struct line_list *out, bool *no_code)
{
	struct pattern pattern;
	bool may;

	pattern_init(&pattern, name);
	find_matching(file, &pattern, out, no_code);
	may = may_have(file, &pattern, true);
	pattern_deinit(&pattern);
	return may;
}

struct error *debugfile_find_inlined(struct debugfile *file, const char *name,
				     struct line_list *out, bool *no_code)
{
	CLEANUP(free_pointer) char *expanded = NULL;
	bool glob = debuginfo_is_glob(name), none_left = false, may;
	size_t first = out->count;

	may = find_by_name(file, name, out, &none_left);
	if (out->count == first && !glob && may)
		expanded = expand_typedefs(file, name);
	if (expanded)
		find_by_name(file, expanded, out, &none_left);
	if (out->count == first && !glob && may_be_glob(file, name)) {
		struct pattern pattern;

		pattern_init_glob(&pattern, name);
		find_matching(file, &pattern, out, &none_left);
		pattern_deinit(&pattern);
	}
	if (no_code)
		*no_code = none_left;
	return NULL;
}

void debugfile_prepare_inlined(struct debugfile *file, const char *text)
{
	struct pattern pattern;

	pattern_init(&pattern, text);
	if (may_have(file, &pattern, false))
		index_for(file, &pattern);
	pattern_deinit(&pattern);
}
