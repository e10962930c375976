/*
 * spy_text.h - what the sections of the Spy's display have in common: the names
 * of procedures, counts with their percentages, and columns
 */
#ifndef REPORT_SPY_TEXT_H
#define REPORT_SPY_TEXT_H

#include "perftool/base/map.h"
#include "perftool/profile/stack_figures.h"
#include "perftool/report/spy_display.h"
#include "procedure_labels.h"

/* A column before the lines of a section, which counts one kind of samples. */
struct spy_column {
	const char *name;
	int width;
	/* of the samples that were taken for this reason, or, with `is_left`,
	 * of the mappings that are left */
	enum sample_reason reason;
	bool is_left;
};

struct spy_text {
	const struct spy_report *report;
	struct stack_figures figures;
	struct procedure_labels labels;
	struct spy_column columns[5];
	size_t column_count;
};

void spy_text_init(struct spy_text *text, const struct spy_report *report);
void spy_text_deinit(struct spy_text *text);

/* Is the part more than this percentage of the weight of all samples? */
bool spy_is_above(const struct spy_text *text, uint64_t part, double percent);

/* The same of a procedure or a call site: of all samples, or of a column. So a
 * procedure that has left many mappings is listed, although most changes of
 * mappings were elsewhere. */
bool spy_is_listed(const struct spy_text *text,
		   const struct sample_weight *weight, double percent);

/* Append " (2.9%)", which is rounded down; what is not 0 and less than 0.1 % is
 * "<0.1%". */
void spy_percent(const struct spy_text *text, uint64_t part, struct str *out);
/* Append " = 78 (2.5%).\n". */
void spy_count(const struct spy_text *text, uint64_t part, struct str *out);

/* Append the name of a procedure so that the line that begins at the offset
 * `begin` of `out` has room for `rest` more characters. */
void spy_put_name(const struct spy_text *text, uint32_t procedure, size_t begin,
		  size_t rest, struct str *out);

/* Append the line with the names of the columns, if there are columns. */
void spy_column_names(const struct spy_text *text, struct str *out);
/* Begin a line with the columns of a weight; NULL: with blanks. */
void spy_columns(const struct spy_text *text,
		 const struct sample_weight *weight, struct str *out);

/* The singular and the plural of what one count is. */
const char *spy_noun(enum spy_watch watch, bool is_plural);

/* Append a number and a noun: "1 tick", "1,204 ticks". */
void spy_number_of(uint64_t number, const char *singular, const char *plural,
		   struct str *out);
/* Append "39 page faults, 3 of them major", or "at least 39 page faults". */
void spy_faults(const struct spy_thread *faults, struct str *out);

/* Priorities, each once, parted by semicolons. All zero is none. */
struct spy_priorities {
	struct str text;
	struct strmap known;
};
void spy_add_priorities(struct spy_priorities *priorities, const char *text);
void spy_priorities_deinit(struct spy_priorities *priorities);

/* Append the title of a section, between two rows of tildes. */
void spy_title(const char *title, struct str *out);

/* The sections, each in a file of its own. */
void spy_heading(const struct spy_text *text, struct str *out);
void spy_processes(const struct spy_text *text, struct str *out);
void spy_procedures(const struct spy_text *text, struct str *out);

#endif
