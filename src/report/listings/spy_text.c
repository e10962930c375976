/* spy_text.c - see spy_text.h */
#include "spy_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/figures/figures.h"
#include "report/text/text.h"

/* ---- names --------------------------------------------------------------- */

void spy_put_name(const struct spy_text *text, uint32_t procedure, size_t begin,
		  size_t rest, struct str *out)
{
	/* a name is not cut to less than this, and the line becomes longer */
	const size_t least = 24;
	size_t width =
		(size_t)(text->report->columns > 0 ? text->report->columns : 0);
	size_t used = text_width(str_text(out) + begin) + rest;
	char *label = procedure_label(&text->labels, procedure);

	if (width)
		width = width > used + least ? width - used : least;
	label_append(label, width, out);
	free(label);
}

/* ---- counts -------------------------------------------------------------- */

static uint64_t column_value(const struct spy_column *column,
			     const struct sample_weight *weight)
{
	return column->is_left ? weight->left
			       : weight->by_reason[column->reason];
}

static bool is_above(uint64_t part, uint64_t whole, double percent)
{
	return (double)part * 100 > percent * (double)whole;
}

bool spy_is_above(const struct spy_text *text, uint64_t part, double percent)
{
	return is_above(part, text->figures.all.total, percent);
}

bool spy_is_listed(const struct spy_text *text,
		   const struct sample_weight *weight, double percent)
{
	if (spy_is_above(text, weight->total, percent))
		return true;
	for (size_t i = 0; i < text->column_count; i++) {
		const struct spy_column *column = &text->columns[i];
		const uint64_t all = column_value(column, &text->figures.all);

		/* One mapping that the C library has grown, of a thousand, is
		 * all of its column and no reason to list who called whom. */
		if ((column->reason == SAMPLE_GROWN ||
		     column->reason == SAMPLE_SHRUNK) &&
		    !spy_is_above(text, all, text->report->minson))
			continue;
		if (is_above(column_value(column, weight), all, percent))
			return true;
	}
	return false;
}

void spy_percent(const struct spy_text *text, uint64_t part, struct str *out)
{
	uint64_t whole = text->figures.all.total, tenths;

	tenths = whole ? (uint64_t)((unsigned __int128)part * 1000 / whole) : 0;
	if (part && !tenths)
		str_append(out, " (<0.1%)");
	else
		str_printf(out, " (%" PRIu64 ".%" PRIu64 "%%)", tenths / 10,
			   tenths % 10);
}

void spy_count(const struct spy_text *text, uint64_t part, struct str *out)
{
	str_printf(out, " = %" PRIu64, part);
	spy_percent(text, part, out);
	str_append(out, ".\n");
}

const char *spy_noun(enum spy_watch watch, bool is_plural)
{
	static const char *const nouns[][2] = {
		[SPY_CPU] = {"tick", "ticks"},
		[SPY_PAGEFAULTS] = {"page fault", "page faults"},
		[SPY_ALLOCATIONS] = {"allocation", "allocations"},
		[SPY_WORDS] = {"word", "words"},
		[SPY_SPACES] = {"change of a mapping", "changes of mappings"},
		[SPY_BREAKS] = {"break", "breaks"},
	};

	return nouns[watch][is_plural];
}

void spy_number_of(uint64_t number, const char *singular, const char *plural,
		   struct str *out)
{
	report_number(number, out);
	str_printf(out, " %s", number == 1 ? singular : plural);
}

void spy_faults(const struct spy_thread *faults, struct str *out)
{
	if (faults->are_least)
		str_append(out, "at least ");
	spy_number_of(faults->minor_faults + faults->major_faults, "page fault",
		      "page faults", out);
	if (faults->major_faults) {
		str_append(out, ", ");
		report_number(faults->major_faults, out);
		str_append(out, " of them major");
	}
}

void spy_add_priorities(struct spy_priorities *priorities, const char *text)
{
	if (!text || strmap_get(&priorities->known, text))
		return;
	strmap_set(&priorities->known, text, priorities);
	if (priorities->text.length)
		str_append(&priorities->text, "; ");
	printable(text, &priorities->text);
}

void spy_priorities_deinit(struct spy_priorities *priorities)
{
	str_deinit(&priorities->text);
	strmap_deinit(&priorities->known);
}

/* ---- columns ------------------------------------------------------------- */

static void add_column(struct spy_text *text, const char *name,
		       enum sample_reason reason, bool is_left)
{
	struct spy_column *column = &text->columns[text->column_count++];
	int digits;

	*column = (struct spy_column){
		.name = name, .reason = reason, .is_left = is_left};
	digits = snprintf(NULL, 0, "%" PRIu64,
			  column_value(column, &text->figures.all));
	column->width = (int)strlen(name) > digits ? (int)strlen(name) : digits;
}

static void choose_columns(struct spy_text *text)
{
	const uint64_t *all = text->figures.all.by_reason;

	if (text->report->watch == SPY_PAGEFAULTS) {
		add_column(text, "minor", SAMPLE_FAULT_MINOR, false);
		add_column(text, "major", SAMPLE_FAULT_MAJOR, false);
	}
	if (text->report->watch == SPY_SPACES) {
		add_column(text, "created", SAMPLE_CREATED, false);
		add_column(text, "deleted", SAMPLE_DELETED, false);
		add_column(text, "left", SAMPLE_CREATED, true);
		if (all[SAMPLE_GROWN])
			add_column(text, "grown", SAMPLE_GROWN, false);
		if (all[SAMPLE_SHRUNK])
			add_column(text, "shrunk", SAMPLE_SHRUNK, false);
	}
}

void spy_column_names(const struct spy_text *text, struct str *out)
{
	for (size_t i = 0; i < text->column_count; i++)
		str_printf(out, "%s%*s", i ? "  " : "", text->columns[i].width,
			   text->columns[i].name);
	if (text->column_count)
		str_append_char(out, '\n');
}

void spy_columns(const struct spy_text *text,
		 const struct sample_weight *weight, struct str *out)
{
	for (size_t i = 0; i < text->column_count; i++) {
		const struct spy_column *column = &text->columns[i];

		if (weight)
			str_printf(out, "%*" PRIu64 "  ", column->width,
				   column_value(column, weight));
		else
			str_printf(out, "%*s  ", column->width, "");
	}
}

/* ---- the whole ----------------------------------------------------------- */

void spy_title(const char *title, struct str *out)
{
	static const char row[] =
		"~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~";

	str_printf(out, "\n%s\n%s\n%s\n\n", row, title, row);
}

void spy_text_init(struct spy_text *text, const struct spy_report *report)
{
	*text = (struct spy_text){.report = report};
	stack_figures_compute(report->stacks, &text->figures);
	procedure_labels_init(&text->labels, &report->stacks->procedures);
	choose_columns(text);
}

void spy_text_deinit(struct spy_text *text)
{
	stack_figures_deinit(&text->figures);
	procedure_labels_deinit(&text->labels);
}
