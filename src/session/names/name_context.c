/*
 * name_context.c - `set module context`: where names are looked up first
 *
 * The Mesa memo speaks of a module. Here this is a source file or a library. If
 * the user writes a place without its file or library, the tool looks for the
 * place in the module context first, and elsewhere only if the context does not
 * have it. If the context has the place, the tool adds the file or library to
 * the text, as if the user had written it. So a breakpoint keeps its meaning
 * when the context changes.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "names.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/session_settings.h"

/* ---- which module a name means ----------------------------------------- */

/* How well the name of a source file fits the name that the user typed. A
 * better fit is a greater value. */
enum fit {
	FIT_NONE,
	FIT_HEADER, /* the file's name differs in the suffix or in the case of
		     * letters */
	FIT_UNIT,   /* the same difference, but the file is no header */
	FIT_EXACT,
};

struct search {
	const char *name;
	enum fit fit;
	char *found;     /* name of the best file that the search has found;
			  * NULL: none */
	char *other;     /* another file that fits as well; NULL: none */
	size_t distance; /* edit distance between `near` and the typed name */
	/* A file with a similar name, for an error message to suggest. NULL:
	 * none. */
	char *near;
};

static void search_deinit(struct search *search)
{
	free(search->found);
	free(search->other);
	free(search->near);
}

static bool is_header(const char *base)
{
	static const char *const suffixes[] = {".h", ".hh", ".hpp", ".hxx"};
	const char *dot = strrchr(base, '.');

	for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (strcasecmp(dot, suffixes[i]) == 0)
			return true;
	return false;
}

/* Returns the length of the name without its suffix. */
static size_t stem_length(const char *base)
{
	const char *dot = strrchr(base, '.');

	return dot && dot > base ? (size_t)(dot - base) : strlen(base);
}

/* Does the file have the name that the user typed, with its suffix or without
 * it, if the case of letters is ignored? */
static bool fits_loosely(const char *base, const char *name)
{
	size_t length = strlen(name), stem = stem_length(base);

	return strcasecmp(base, name) == 0 ||
	       (stem == length && strncasecmp(base, name, length) == 0);
}

static enum fit fit_of(const char *path, const char *name)
{
	const char *base = path_file_name(path);
	size_t all = strlen(path), length = strlen(name);

	if (all >= length && str_equal(path + all - length, name) &&
	    (all == length || path[all - length - 1] == '/'))
		return FIT_EXACT;
	if (!fits_loosely(base, name))
		return FIT_NONE;
	return is_header(base) ? FIT_HEADER : FIT_UNIT;
}

static char *lower_case(const char *text, size_t length)
{
	char *lower = xstrndup(text, length);

	for (char *at = lower; *at; at++)
		if (*at >= 'A' && *at <= 'Z')
			*at = (char)(*at - 'A' + 'a');
	return lower;
}

/* Stores the file in `near` if the spelling of its name is the most similar to
 * the name that was typed. The case of letters and the suffix are ignored. */
static void consider_near(struct search *search, const char *base)
{
	CLEANUP(free_pointer)
	char *typed = lower_case(search->name, stem_length(search->name));
	CLEANUP(free_pointer)
	char *stem = lower_case(base, stem_length(base));
	size_t distance;

	/* Headers are left out, because there are many headers, and few of them
	 * have code. A name that is much longer than the typed name is not
	 * similar, and comparing it takes time. */
	if (is_header(base) || strlen(stem) > 2 * strlen(typed))
		return;
	distance = str_distance(typed, stem);
	if (distance >= search->distance)
		return;
	search->distance = distance;
	free(search->near);
	search->near = xstrdup(base);
}

static bool consider_source(void *context, const char *path)
{
	struct search *search = context;
	enum fit fit = fit_of(path, search->name);
	/* The stored name has as many directories as the user typed: if the
	 * user typed DIR/FILE, FILE alone might mean another file. */
	const char *text =
		fit == FIT_EXACT ? search->name : path_file_name(path);

	consider_near(search, path_file_name(path));
	if (fit == FIT_NONE || fit < search->fit)
		return true;
	if (fit > search->fit) {
		free(search->found);
		free(search->other);
		search->other = NULL;
		search->found = xstrdup(text);
		search->fit = fit;
	} else if (!str_equal(search->found, text) && !search->other) {
		search->other = xstrdup(text);
	}
	return true;
}

/* Searches the source files of the program for the name. If none of them fits,
 * searches the source files of the other loaded modules. */
static void search_sources(struct session *session, struct search *search)
{
	const struct module *module;

	for (size_t i = 0;
	     !search->found && (module = probe_module(session->probe, i)); i++)
		if (module_file(module))
			debugfile_each_source(module_file(module),
					      consider_source, search);
}

/* Returns the loaded library that the name means, or, if `of_program` is true,
 * the program if the name means it; NULL: no such module. */
static const struct module *find_loaded(struct session *session,
					const char *name, bool of_program)
{
	const struct module *module;

	for (size_t i = 0; (module = probe_module(session->probe, i)); i++)
		if ((i == 0) == of_program && !str_is_glob(name) &&
		    module_matches(module, name))
			return module;
	return NULL;
}

static void set_context(struct session *session, const char *name,
			bool is_source)
{
	char *copy = name ? xstrdup(name) : NULL;

	free(session->context.name);
	session->context.name = copy;
	session->context.is_source = is_source;
}

static struct error *unknown_module(struct session *session,
				    struct search *search)
{
	const struct module *program = probe_module(session->probe, 0), *at;

	for (size_t i = 0; (at = probe_module(session->probe, i)); i++)
		consider_near(search, module_name(at));
	return error_create(
		ERROR_NOT_FOUND,
		"no source file or loaded library `%s' in %s%s%s%s%s",
		search->name, module_name(program),
		search->near ? "; did you mean " : "",
		search->near ? search->near : "", search->near ? "?" : "",
		session->followed.count || search->near
			? ""
			: " (`run' loads the libraries, which can be named "
			  "then)");
}

/* Finds the source file or library that a name means. A source file of exactly
 * this name comes first, because the memo calls a source file a module. Then
 * comes a library, and then a source file whose name is only similar. */
static struct error *find_context(struct session *session,
				  struct search *search)
{
	const struct module *library;

	search_sources(session, search);
	library = find_loaded(session, search->name, false);
	if (search->fit != FIT_EXACT && library) {
		set_context(session, module_name(library), false);
		return NULL;
	}
	if (search->other)
		return error_create(ERROR_USAGE, "`%s' is ambiguous: %s, %s",
				    search->name, search->found, search->other);
	if (search->found) {
		set_context(session, search->found, true);
		return NULL;
	}
	library = find_loaded(session, search->name, true);
	if (!library)
		return unknown_module(session, search);
	set_context(session, module_name(library), false);
	return NULL;
}

struct error *session_set_context(struct session *session, const char *name,
				  struct str *out)
{
	struct search search = {.name = name};
	struct error *error;

	if (!name) {
		set_context(session, NULL, false);
		str_append(out, "Names are looked up in the program and its "
				"libraries\n");
		return NULL;
	}
	TRY(need_program(session));
	search.distance = strlen(name) / 3 + 1;
	error = find_context(session, &search);
	search_deinit(&search);
	if (!error)
		str_printf(out, "Names are looked up in %s first\n",
			   session->context.name);
	return error;
}

struct error *session_set_root(struct session *session, const char *name,
			       struct str *out)
{
	const struct module *program;

	TRY(need_program(session));
	program = probe_module(session->probe, 0);
	if (!program)
		return error_create(ERROR_NOT_FOUND, "no program is loaded");
	if (!module_matches(program, name) &&
	    strcasecmp(module_name(program), path_file_name(name)) != 0)
		return error_create(ERROR_NOT_FOUND,
				    "the program is %s, not `%s'; `file' "
				    "names another",
				    module_name(program), name);
	return session_set_context(session, NULL, out);
}

const char *context_root(const struct session *session)
{
	const struct module *program = probe_module(session->probe, 0);

	return program ? module_name(program) : "none";
}

const char *context_module(const struct session *session)
{
	return session->context.name ? session->context.name : "none";
}

/* ---- looking names up in the context ----------------------------------- */

/* Can the module context make the location more exact? It can if the user has
 * named no file and no library in the location. */
static bool is_open(const struct location *location)
{
	switch (location->kind) {
	case LOCATION_FUNCTION:
	case LOCATION_OFFSET:
		return !location->module && !location->source;
	case LOCATION_LINE:
		return !location->module && !location->name;
	case LOCATION_ADDRESS:
	case LOCATION_DATA:
	case LOCATION_PROBE:
		break;
	}
	return false;
}

static char *qualify(const struct session *session,
		     const struct location *location)
{
	CLEANUP(free_pointer) char *place = NULL;

	if (location->kind == LOCATION_LINE)
		place = xasprintf("%" PRIu32, location->line);
	else if (location->kind == LOCATION_OFFSET)
		place = xasprintf("%s+%" PRIu64, location->name,
				  location->number);
	else
		place = xstrdup(location->name);
	return session->context.is_source
		       ? xasprintf("%s:%s", session->context.name, place)
		       : xasprintf("%s@%s", place, session->context.name);
}

static bool is_there(struct session *session, const struct location *location,
		     const char *text)
{
	struct named_function_list functions = {0};
	struct error *error;
	struct place place;
	bool found;

	if (location->kind == LOCATION_FUNCTION) {
		error_destroy(probe_functions(session->probe, text, NULL,
					      &functions));
		found = functions.count > 0;
		vec_free(&functions);
		if (found || debuginfo_is_glob(location->name))
			return found;
	}
	error = probe_locate(session->probe, text, &place);
	found = !error;
	error_destroy(error);
	return found;
}

char *in_context(struct session *session, const char *text)
{
	struct location location;
	struct error *error;
	char *there = place_of_nameless(session, text);

	if (there)
		return there;
	if (!session->context.name)
		return xstrdup(text);
	error = location_parse(text, &location);
	if (error) {
		/* The text cannot be parsed as a location. The function that
		 * sets the breakpoint will report the error. */
		error_destroy(error);
		return xstrdup(text);
	}
	if (is_open(&location))
		there = qualify(session, &location);
	if (there && !is_there(session, &location, there)) {
		free(there);
		there = NULL;
	}
	location_deinit(&location);
	return there ? there : xstrdup(text);
}

char *all_of_context(const struct session *session)
{
	if (!session->context.name)
		return NULL;
	return session->context.is_source
		       ? xasprintf("%s:*", session->context.name)
		       : xasprintf("*@%s", session->context.name);
}

/* ---- completion -------------------------------------------------------- */

struct candidates {
	const char *prefix;
	session_visit_fn *visit;
	void *context;
	bool more;
};

static bool offer(void *context, const char *path)
{
	struct candidates *candidates = context;
	const char *base = path_file_name(path);

	/* A header is accepted as a module context, but most headers have no
	 * code, so completion does not offer them. */
	if (str_starts_nocase(base, candidates->prefix) && !is_header(base))
		candidates->more = candidates->visit(candidates->context, base);
	return candidates->more;
}

void complete_contexts(struct session *session, const char *prefix,
		       session_visit_fn *visit, void *context)
{
	struct candidates candidates = {prefix, visit, context, true};
	const struct module *module;

	for (size_t i = 0;
	     candidates.more && (module = probe_module(session->probe, i));
	     i++) {
		if (i > 0)
			offer(&candidates, module_name(module));
		else if (module_file(module))
			debugfile_each_source(module_file(module), offer,
					      &candidates);
	}
}
