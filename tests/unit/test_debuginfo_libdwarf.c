/*
 * test_debuginfo_libdwarf.c - lines, functions and frames against libdwarf
 *
 * The reader of DWARF is our own, and doc/DEPENDENCIES.md says why. libdwarf is
 * an independent reader of files that compilers have just written. Every row of
 * every line table, every function and every row of call frame information is
 * asked for, at the first and the last byte it is good for. For variables see
 * test_debuginfo_libdwarf_variables.c.
 *
 * tier: core full
 * covers: debuginfo/dwarf debuginfo/lines debuginfo/frames debuginfo/scopes
 */
#include "debuginfo/lines/lines.h"
#include "libdwarf_compare.h"
#include "perftool/debuginfo/frame_rules.h"

enum category {
	LINES,
	FUNCTIONS,   /* addresses in them */
	RANGES,      /* of a function, all of them */
	FRAMES,      /* rows: a register and an offset */
	EXPRESSIONS, /* rows: not that */
};

/* ---- lines -----------------------------------------------------------------
 */

/* An address with rows: which of them the source line is taken from. */
struct place {
	uint64_t address;
	const struct oracle_row *row; /* NULL: there is no line */
	size_t order;                 /* of rows: of the program */
	bool end;
};
VEC_STRUCT(place_list, struct place);

static int compare_places(const void *a_, const void *b_)
{
	const struct place *a = a_, *b = b_;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->end != b->end) /* what follows begins where it ends */
		return a->end ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool is_path(const struct oracle_row *row, const char *path)
{
	return str_equal(path, row->path) ||
	       (row->other_path && str_equal(path, row->other_path));
}

/* What follows the functions of a section is of no unit: it has no line. */
static void check_line(struct comparison *comparison, uint64_t address,
		       const struct oracle_row *row)
{
	const struct oracle *oracle = &comparison->oracle;
	const char *path = "nothing";
	uint32_t line = 0;
	bool known = line_at(comparison->file, address, &path, &line);
	bool same;

	if (row && !range_list_has(&oracle->units.data[row->unit], address))
		row = NULL;
	same = row ? known && line == row->line && is_path(row, path) : !known;
	if (count(comparison, LINES, same))
		print_message("# %s: %#lx is %s:%u, libdwarf: %s:%lu\n",
			      comparison->what, address, path, line,
			      row ? row->path : "nothing", row ? row->line : 0);
}

/*
 * Sequences of code that the linker dropped start at an address that is not
 * code, and a row at the end of its sequence has no code: add what is left.
 */
static void add_places(const struct oracle *oracle, struct place_list *out)
{
	size_t first = 0, end;

	for (; first < oracle->rows.count; first = end + 1) {
		const struct oracle_row *rows = oracle->rows.data;

		for (end = first; !rows[end].end;)
			end++;
		if (!range_list_has(&oracle->code, rows[first].address))
			continue;
		for (size_t i = first; i <= end; i++)
			if (i == end || rows[i].address != rows[end].address)
				vec_push(out, (struct place){rows[i].address,
							     &rows[i], i,
							     rows[i].end});
	}
}

/*
 * Of several rows of one address the last one that is a statement counts, or
 * the last one where none is; where the last one has no line there is none.
 */
static const struct oracle_row *choose(const struct place *places, size_t count)
{
	const struct oracle_row *last = places[count - 1].row;

	if (last->end || !last->line)
		return NULL;
	for (size_t i = count; i--;) {
		const struct oracle_row *row = places[i].row;

		if (row->end)
			break;
		if (row->is_stmt)
			return row->line ? row : last;
	}
	return last;
}

static void compare_lines(struct comparison *comparison)
{
	const struct oracle *oracle = &comparison->oracle;
	struct place_list places = {0};
	size_t end;

	add_places(oracle, &places);
	if (places.count)
		qsort(places.data, places.count, sizeof(*places.data),
		      compare_places);
	for (size_t i = 0; i < places.count; i = end) {
		uint64_t address = places.data[i].address, next = address;
		const struct oracle_row *row;

		for (end = i; end < places.count && next == address; end++)
			if (end + 1 < places.count)
				next = places.data[end + 1].address;
		row = choose(places.data + i, end - i);
		check_line(comparison, address, row);
		if (next > address + 1 && row)
			check_line(comparison, next - 1, row);
	}
	vec_free(&places);
}

/* ---- functions -------------------------------------------------------------
 */

/* Symbols are sorted: the first one at `address`, or after it. */
static size_t first_symbol(const struct oracle *oracle, uint64_t address)
{
	size_t low = 0, high = oracle->symbols.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (oracle->symbols.data[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Is `symbol` the function, or a copy or part of it (NAME.isra.0)? What C++
 * knows only by its plain name is looked for in the demangled one. */
static bool names(const char *symbol, const struct oracle_scope *scope)
{
	size_t length = strlen(scope->name);
	char *demangled;
	bool same;

	if (scope->linked)
		return str_starts(symbol, scope->name) &&
		       (symbol[length] == '\0' || symbol[length] == '.');
	demangled = debuginfo_demangle(symbol);
	same = strstr(demangled, scope->name);
	free(demangled);
	return same;
}

/* The name of a function is one that the linker knows for its address; and
 * there it also knows the one of the debug information, which is all there is
 * where symbols have been stripped. */
static bool is_named(const struct oracle *oracle,
		     const struct function *function,
		     const struct oracle_scope *scope)
{
	bool known = false, same = false;

	if (!function->name)
		return false;
	if (!oracle->symbols.count)
		return str_equal(function->name, scope->name);
	for (size_t i = first_symbol(oracle, function->address);
	     i < oracle->symbols.count &&
	     oracle->symbols.data[i].address == function->address;
	     i++) {
		const char *symbol = oracle->symbols.data[i].name;

		known |= str_equal(symbol, function->name);
		same |= names(symbol, scope);
	}
	return known && same;
}

/* Part of [low, high) that is in none of `ranges`; `low` when there is none. */
static uint64_t first_outside(const struct range_list *ranges, uint64_t low,
			      uint64_t high)
{
	bool moved = true;

	while (moved && low < high) {
		moved = false;
		for (size_t i = 0; i < ranges->count; i++) {
			if (low >= ranges->data[i].low &&
			    low < ranges->data[i].high) {
				low = ranges->data[i].high;
				moved = true;
			}
		}
	}
	return low < high ? low : high;
}

static bool covers(const struct range_list *outer,
		   const struct range_list *inner)
{
	for (size_t i = 0; i < inner->count; i++)
		if (first_outside(outer, inner->data[i].low,
				  inner->data[i].high) != inner->data[i].high)
			return false;
	return true;
}

/* The ranges of a function: those of its DIE, and what its symbol has more. */
static void check_ranges(struct comparison *comparison,
			 const struct oracle_scope *scope,
			 const struct function *function)
{
	const struct oracle *oracle = &comparison->oracle;
	struct range_list found = {0}, expected = {0};
	struct error *error =
		debugfile_function_ranges(comparison->file, function, &found);

	for (size_t i = 0; i < scope->ranges.count; i++)
		vec_push(&expected, scope->ranges.data[i]);
	for (size_t i = first_symbol(oracle, function->address);
	     i < oracle->symbols.count &&
	     oracle->symbols.data[i].address == function->address;
	     i++)
		vec_push(&expected,
			 (struct range){
				 function->address,
				 function->address +
					 oracle->symbols.data[i].size,
			 });
	if (count(comparison, RANGES,
		  !error && covers(&found, &expected) &&
			  covers(&expected, &found))) {
		print_message("# %s: the ranges of %s differ%s%s: [",
			      comparison->what, scope->name, error ? ": " : "",
			      error ? error_message(error) : "");
		for (size_t i = 0; i < found.count; i++)
			print_message(" %#lx-%#lx", found.data[i].low,
				      found.data[i].high);
		print_message(" ], libdwarf: [");
		for (size_t i = 0; i < expected.count; i++)
			print_message(" %#lx-%#lx", expected.data[i].low,
				      expected.data[i].high);
		print_message(" ]\n");
	}
	error_destroy(error);
	vec_free(&found);
	vec_free(&expected);
}

static void check_function(struct comparison *comparison,
			   const struct oracle_scope *scope, uint64_t address)
{
	uint64_t entry = scope->ranges.data[0].low;
	struct function function = {0};
	bool known =
		debugfile_function_at(comparison->file, address, &function);

	if (count(comparison, FUNCTIONS,
		  known && function.address == entry &&
			  is_named(&comparison->oracle, &function, scope)))
		print_message("# %s: %#lx is in %s (%#lx), "
			      "libdwarf: %s (%#lx)\n",
			      comparison->what, address,
			      function.name ? function.name : "nothing",
			      function.address, scope->name, entry);
	else if (known && function.address == entry && address == entry)
		check_ranges(comparison, scope, &function);
}

static void compare_functions(struct comparison *comparison)
{
	const struct oracle *oracle = &comparison->oracle;

	for (size_t i = 0; i < oracle->scopes.count; i++) {
		const struct oracle_scope *scope = &oracle->scopes.data[i];

		if (scope->tag != DW_TAG_subprogram)
			continue;
		for (size_t j = 0; j < scope->ranges.count; j++) {
			const struct range *range = &scope->ranges.data[j];

			check_function(comparison, scope, range->low);
			check_function(comparison, scope, range->high - 1);
		}
	}
}

/* ---- frames ----------------------------------------------------------------
 */

static void check_frame(struct comparison *comparison,
			const struct oracle_frame *frame, uint64_t address)
{
	struct cfa_rule rule = {0};
	bool known = debugfile_cfa_rule(comparison->file, address, &rule);
	bool same = frame->known ? known && rule.reg == frame->reg &&
					   rule.offset == frame->offset
				 : !known;

	if (count(comparison, frame->known ? FRAMES : EXPRESSIONS, same))
		print_message("# %s: CFA at %#lx is %d r%u%+ld, "
			      "libdwarf: %d r%u%+ld\n",
			      comparison->what, address, known, rule.reg,
			      rule.offset, frame->known, frame->reg,
			      frame->offset);
}

/* Where both sections know a place, .eh_frame is asked. */
static bool is_hidden(const struct oracle *oracle,
		      const struct oracle_frame *frame)
{
	if (!frame->debug_frame)
		return false;
	for (size_t i = 0; i < oracle->frames.count; i++) {
		const struct oracle_frame *other = &oracle->frames.data[i];

		if (!other->debug_frame && other->low < frame->high &&
		    frame->low < other->high)
			return true;
	}
	return false;
}

static void compare_frames(struct comparison *comparison)
{
	const struct oracle *oracle = &comparison->oracle;

	for (size_t i = 0; i < oracle->frames.count; i++) {
		const struct oracle_frame *frame = &oracle->frames.data[i];

		if (!range_list_has(&oracle->code, frame->low) ||
		    is_hidden(oracle, frame))
			continue;
		check_frame(comparison, frame, frame->low);
		check_frame(comparison, frame, frame->high - 1);
	}
}

/* ---- all of them ------------------------------------------------------- */

static void compare(struct comparison *comparison)
{
	compare_lines(comparison);
	compare_functions(comparison);
	compare_frames(comparison);
}

int main(void)
{
	struct subject subject = {
		.compare = compare,
		.categories =
			{
				[LINES] = "lines",
				[FUNCTIONS] = "functions",
				[RANGES] = "ranges",
				[FRAMES] = "frames",
				[EXPRESSIONS] = "frame expressions",
			},
		.least_c = {2700, 150, 70, 11000, 10},
		.least_c_plus_plus = {700, 100, 45, 300, 2},
		.least_stripped = {400, 20, 10, 60, 1},
		.least_self = {10000, 400, 200, 5000, 1},
		.least_libc = {100000, 4000, 2000, 20000, 2},
	};

	return compare_with_libdwarf(&subject);
}
