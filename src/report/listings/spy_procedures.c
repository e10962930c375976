/*
 * spy_procedures.c - the Spy's "Breakdown of interesting procedures": each
 * procedure with its call sites, indented under the procedure that contains its
 * calls
 */
#include <inttypes.h>

#include "perftool/base/path.h"
#include "report/figures/figures.h"
#include "spy_outline.h"
#include "spy_text.h"

struct section {
	const struct spy_text *text;
	struct outline outline;
	struct str *out;
};

/* ---- lines --------------------------------------------------------------- */

static void begin_line(const struct section *section,
		       const struct sample_weight *weight)
{
	spy_columns(section->text, weight, section->out);
	str_append_n(section->out, str_text(&section->outline.prefix),
		     section->outline.prefix.length);
}

/* The line between two sets. */
static void gap_line(const struct section *section)
{
	struct str *out = section->out;

	begin_line(section, NULL);
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	str_append_char(out, '\n');
}

/* Is there a call site in `caller` that led to `callee`? */
static bool is_direct(const struct spy_text *text, uint32_t caller,
		      uint32_t callee)
{
	const struct procedure_figures *figures =
		&text->figures.procedures[caller];

	for (size_t i = 0; i < figures->site_count; i++) {
		if (figures->sites[i].callee == callee)
			return true;
	}
	return false;
}

static void put_marked_name(const struct section *section, uint32_t procedure,
			    size_t begin, size_t rest)
{
	uint32_t parent = section->outline.parents[procedure];
	bool is_terminal = section->text->report->is_terminal;
	bool is_marked = parent != NO_PROCEDURE &&
			 !is_direct(section->text, parent, procedure);

	if (is_marked && !is_terminal)
		str_append_char(section->out, '~');
	if (is_marked && is_terminal) {
		struct str name = {0};

		/* the escape sequences take no room on the line */
		str_append(&name, str_text(section->out) + begin);
		begin = name.length;
		spy_put_name(section->text, procedure, 0, rest, &name);
		str_printf(section->out, "\033[3m%s\033[0m",
			   str_text(&name) + begin);
		str_deinit(&name);
		return;
	}
	spy_put_name(section->text, procedure, begin, rest, section->out);
}

static void procedure_line(const struct section *section, uint32_t procedure)
{
	const struct spy_text *text = section->text;
	const struct procedure_figures *figures =
		&text->figures.procedures[procedure];
	uint64_t below = figures->weight.total - figures->own;
	size_t begin = section->out->length;
	struct str rest = {0};

	str_printf(&rest, " (%zu %s) = %" PRIu64 ", %" PRIu64, figures->refs,
		   figures->refs == 1 ? "ref" : "refs", figures->own, below);
	if (below && spy_is_above(text, figures->own, text->report->minson))
		spy_percent(text, figures->own, &rest);
	spy_percent(text, figures->weight.total, &rest);
	str_append(&rest, ".");
	begin_line(section, &figures->weight);
	str_append(section->out, "Procedure ");
	put_marked_name(section, procedure, begin, rest.length);
	str_printf(section->out, "%s\n", str_text(&rest));
	str_deinit(&rest);
}

/* Where a call is: FILE:LINE, or, if that is not known, MODULE+OFFSET. */
static void put_place(const struct section *section,
		      const struct call_place *place)
{
	const struct call_stacks *stacks = section->text->report->stacks;
	const struct procedure *procedure =
		&stacks->procedures.list.data[place->procedure];
	int columns = section->text->report->columns;
	struct str text = {0};

	if (place->file && place->line)
		str_printf(&text, "%s:%" PRIu32, path_file_name(place->file),
			   place->line);
	else if (*procedure->module)
		str_printf(&text, "%s+0x%" PRIx64, procedure->module,
			   place->address);
	else
		str_printf(&text, "0x%" PRIx64, place->address);
	printable_cut(str_text(&text), columns > 0 ? 40 : 0, section->out);
	str_deinit(&text);
}

static void site_line(const struct section *section,
		      const struct call_site *site)
{
	const struct spy_text *text = section->text;
	struct str rest = {0};
	size_t begin = section->out->length;

	begin_line(section, &site->weight);
	str_append(section->out, "  (");
	put_place(section, &text->report->stacks->places.data[site->place]);
	str_append(section->out, ") ");
	spy_count(text, site->weight.total, &rest);
	spy_put_name(text, site->callee, begin, rest.length - 1, section->out);
	str_append(section->out, str_text(&rest));
	str_deinit(&rest);
}

static void put_procedure(const struct section *section, uint32_t procedure)
{
	const struct spy_text *text = section->text;
	const struct procedure_figures *figures =
		&text->figures.procedures[procedure];

	procedure_line(section, procedure);
	for (size_t i = 0; i < figures->site_count; i++) {
		const struct call_site *site = &figures->sites[i];

		if (spy_is_listed(text, &site->weight, text->report->minson))
			site_line(section, site);
	}
}

/* ---- the section --------------------------------------------------------- */

/* Says why nothing is listed, and what lists something. */
static void put_none(const struct section *section)
{
	const struct spy_text *text = section->text;
	const struct procedures *all = &text->report->stacks->procedures;
	uint32_t most = NO_PROCEDURE;
	uint64_t weight = 0;

	if (!text->figures.all.total) {
		str_append(section->out, "There are no samples.\n");
		return;
	}
	for (uint32_t i = 0; i < all->list.count; i++) {
		uint64_t this = text->figures.procedures[i].weight.total;

		if (!all->list.data[i].is_wait && this > weight) {
			weight = this;
			most = i;
		}
	}
	if (most == NO_PROCEDURE) {
		str_append(section->out, "No sample has a procedure: no stack "
					 "could be unwound.\n");
		return;
	}
	str_printf(section->out,
		   "No procedure is in more than %g%% of the call stacks. "
		   "Most frequent:\n",
		   text->report->min);
	str_append(section->out, "  ");
	spy_put_name(text, most, section->out->length, 20, section->out);
	spy_count(text, weight, section->out);
	str_append(section->out, "`spy display min=0' lists all of them.\n");
}

/* Says how much of the samples has no procedure. */
static void put_rest(const struct section *section)
{
	const struct spy_text *text = section->text;
	uint64_t weight = text->figures.without_procedure;

	if (!weight || weight == text->figures.all.total)
		return;
	str_append(section->out, "\nStacks without a procedure");
	spy_count(text, weight, section->out);
}

void spy_procedures(const struct spy_text *text, struct str *out)
{
	struct section section = {.text = text, .out = out};
	struct outline *outline = &section.outline;
	enum outline_line line;
	uint32_t procedure;

	outline_init(outline, text);
	if (outline->order.count)
		spy_column_names(text, out);
	else
		put_none(&section);
	while ((line = outline_next(outline, &procedure)) != OUTLINE_END) {
		if (line == OUTLINE_GAP)
			gap_line(&section);
		else
			put_procedure(&section, procedure);
	}
	put_rest(&section);
	outline_deinit(outline);
}
