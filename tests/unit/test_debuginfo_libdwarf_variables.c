/*
 * test_debuginfo_libdwarf_variables.c - what names mean, against libdwarf
 *
 * Every variable of every function is asked for by its name, at both ends of
 * code that it can be seen in: which one it is, its kind, size and type. What
 * else there is to compare: test_debuginfo_libdwarf.c.
 *
 * tier: full
 * covers: debuginfo/variables debuginfo/types debuginfo/dwarf
 */
#include "libdwarf_compare.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debugtype.h"

static size_t owner(const struct oracle *oracle, size_t scope)
{
	while (oracle->scopes.data[scope].tag != DW_TAG_subprogram &&
	       oracle->scopes.data[scope].tag != DW_TAG_inlined_subroutine)
		scope = oracle->scopes.data[scope].parent;
	return scope;
}

/* Is the address in the scope, and in all those around it? */
static bool is_in_scope(const struct oracle *oracle, size_t index,
			uint64_t address)
{
	const struct oracle_scope *scope = &oracle->scopes.data[index];

	return range_list_has(&scope->ranges, address) &&
	       (scope->parent == index ||
		is_in_scope(oracle, scope->parent, address));
}

/* The variable of that name that belongs to the function or inlined call
 * `of`, in its innermost block; or NULL. */
static const struct oracle_variable *find_in(const struct oracle *oracle,
					     size_t function, size_t of,
					     uint64_t address, const char *name)
{
	const struct oracle_scope *scope = &oracle->scopes.data[function];
	const struct oracle_variable *best = NULL;
	unsigned best_depth = 0;

	for (size_t i = scope->first_variable; i < scope->end_variable; i++) {
		const struct oracle_variable *variable =
			&oracle->variables.data[i];
		unsigned depth = oracle->scopes.data[variable->scope].depth;

		/* names are kept once each */
		if (variable->name != name ||
		    owner(oracle, variable->scope) != of ||
		    !is_in_scope(oracle, variable->scope, address) ||
		    (best && depth < best_depth))
			continue;
		best = variable;
		best_depth = depth;
	}
	return best;
}

/* The function or the innermost inlined call at an address. */
static size_t innermost(const struct oracle *oracle, size_t function,
			uint64_t address)
{
	const struct oracle_scope *scopes = oracle->scopes.data;
	size_t best = function;

	for (size_t i = function; i < scopes[function].end_scope; i++)
		if (scopes[i].function == function && owner(oracle, i) == i &&
		    is_in_scope(oracle, i, address) &&
		    scopes[i].depth >= scopes[best].depth)
			best = i;
	return best;
}

/* What a name means at an address: of the innermost inlined call first and out
 * to the function. */
static const struct oracle_variable *resolve(const struct oracle *oracle,
					     size_t function, uint64_t address,
					     const char *name)
{
	const struct oracle_variable *found = NULL;
	size_t at = innermost(oracle, function, address);

	for (;;) {
		found = find_in(oracle, function, at, address, name);
		if (found || at == function)
			return found;
		at = owner(oracle, oracle->scopes.data[at].parent);
	}
}

static const char *kind_name(enum oracle_kind kind)
{
	static const char *const kinds[] = {
		[ORACLE_SIGNED] = "signed", [ORACLE_UNSIGNED] = "unsigned",
		[ORACLE_FLOAT] = "float",   [ORACLE_POINTER] = "pointer",
		[ORACLE_OTHER] = "other",
	};

	return kinds[kind];
}

static enum oracle_kind kind_of(struct debugtype *type)
{
	switch (debugtype_kind(type)) {
	case DEBUGTYPE_BOOL:
	case DEBUGTYPE_INTEGER:
	case DEBUGTYPE_CHARACTER:
	case DEBUGTYPE_ENUM:
		return debugtype_is_signed(type) ? ORACLE_SIGNED
						 : ORACLE_UNSIGNED;
	case DEBUGTYPE_FLOAT:
		return ORACLE_FLOAT;
	case DEBUGTYPE_POINTER:
		return ORACLE_POINTER;
	default:
		return ORACLE_OTHER;
	}
}

/* Where a name goes on behind the scopes that it begins with. */
static const char *behind_scopes(const char *name)
{
	const char *rest = name;

	for (const char *at = name; *at && *at != '<' && *at != ' '; at++)
		if (at[0] == ':' && at[1] == ':')
			rest = at + 2;
	return rest;
}

/* What libdwarf says has no scopes, and gcc's `long int` in the arguments of
 * templates. */
static bool is_same_name(const char *ours, const char *theirs)
{
	if (str_starts(ours, "const ") && str_starts(theirs, "const ")) {
		ours += strlen("const ");
		theirs += strlen("const ");
	}
	ours = behind_scopes(ours);
	for (; *ours; ours++, theirs++) {
		if (*ours != *theirs && str_starts(theirs, " int"))
			theirs += strlen(" int");
		if (*ours != *theirs)
			return false;
	}
	return !*theirs;
}

static void check_variable(struct comparison *comparison, size_t function,
			   uint64_t address, const char *name)
{
	const struct oracle_variable *expected =
		resolve(&comparison->oracle, function, address, name);
	const struct oracle_type *type;
	struct variable *variable = NULL;
	struct debugtype *found;
	struct error *error;
	bool same;

	assert_non_null(expected);
	if (expected->declaration)
		return;
	type = expected->type;
	error = debugfile_find_variable(comparison->file, address, false, name,
					&variable);
	found = error ? NULL : variable_debugtype(variable);
	same = found && kind_of(found) == type->kind &&
	       (!type->size_known || debugtype_size(found) == type->size) &&
	       (!type->name || is_same_name(debugtype_name(found), type->name));
	if (count(comparison, 0, same))
		print_message("# %s: %s at %#lx is %s (%lu, %s), "
			      "libdwarf: %s (%lu, %s)\n",
			      comparison->what, name, address,
			      error ? error_message(error)
				    : debugtype_name(found),
			      error ? 0 : debugtype_size(found),
			      error ? "" : kind_name(kind_of(found)),
			      type->name ? type->name : "?", type->size,
			      kind_name(type->kind));
	variable_destroy(variable);
	error_destroy(error);
}

static int compare_addresses(const void *a_, const void *b_)
{
	const uint64_t *a = a_, *b = b_;

	return *a < *b ? -1 : *a > *b;
}

/* Where what can be seen in the function may change, sorted. */
VEC_STRUCT(known_addresses, uint64_t);

static void list_edges(const struct oracle *oracle, size_t function,
		       struct known_addresses *out)
{
	vec_clear(out);
	for (size_t i = function; i < oracle->scopes.data[function].end_scope;
	     i++) {
		const struct range_list *ranges =
			&oracle->scopes.data[i].ranges;

		for (size_t j = 0; j < ranges->count; j++) {
			vec_push(out, ranges->data[j].low);
			vec_push(out, ranges->data[j].high);
		}
	}
	qsort(out->data, out->count, sizeof(*out->data), compare_addresses);
}

/* Ask for every variable at both ends of the first and the last stretch of
 * code that it can be seen in and where nothing changes. */
static void check_function_variables(struct comparison *comparison,
				     size_t function,
				     const struct known_addresses *edges)
{
	const struct oracle *oracle = &comparison->oracle;
	const struct oracle_scope *scope = &oracle->scopes.data[function];

	for (size_t i = scope->first_variable; i < scope->end_variable; i++) {
		const struct oracle_variable *variable =
			&oracle->variables.data[i];
		size_t first = SIZE_MAX, last = 0;

		if (oracle->scopes.data[variable->scope].function != function)
			continue;

		for (size_t j = 0; j + 1 < edges->count; j++) {
			if (edges->data[j] == edges->data[j + 1] ||
			    !is_in_scope(oracle, variable->scope,
					 edges->data[j]))
				continue;
			first = first == SIZE_MAX ? j : first;
			last = j;
		}
		if (first == SIZE_MAX)
			continue;
		check_variable(comparison, function, edges->data[first],
			       variable->name);
		check_variable(comparison, function, edges->data[first + 1] - 1,
			       variable->name);
		if (last == first)
			continue;
		check_variable(comparison, function, edges->data[last],
			       variable->name);
		check_variable(comparison, function, edges->data[last + 1] - 1,
			       variable->name);
	}
}

static void compare_variables(struct comparison *comparison)
{
	const struct oracle *oracle = &comparison->oracle;
	struct known_addresses edges = {0};

	for (size_t i = 0; i < oracle->scopes.count; i++) {
		if (oracle->scopes.data[i].function != i)
			continue;
		list_edges(oracle, i, &edges);
		check_function_variables(comparison, i, &edges);
	}
	vec_free(&edges);
}

int main(void)
{
	struct subject subject = {
		.compare = compare_variables,
		.categories = {"variables"},
		.least_c = {1300},
		.least_c_plus_plus = {450},
		.least_stripped = {180},
		.least_self = {5000},
		.least_libc = {50000},
	};

	return compare_with_libdwarf(&subject);
}
