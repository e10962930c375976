/*
 * procedure_labels.h - how listings name procedures: by the function's name,
 * with what tells it from others of the same name
 *
 * The form is that of locations, FILE:FUNC@MODULE. The module is there where
 * several procedures have the name, and the file where several of one module
 * have it.
 */
#ifndef PERFTOOL_REPORT_PROCEDURE_LABELS_H
#define PERFTOOL_REPORT_PROCEDURE_LABELS_H

#include "perftool/base/map.h"
#include "perftool/base/str.h"
#include "perftool/profile/procedures.h"
#include "perftool/report.h"

struct procedure_labels {
	const struct procedures *procedures;
	struct strmap names;   /* number of procedures of the name, and */
	struct strmap modules; /* of the name with its module */
};

void procedure_labels_init(struct procedure_labels *labels,
			   const struct procedures *procedures);
void procedure_labels_deinit(struct procedure_labels *labels);

/*
 * Return the label of a procedure, which is printable (figures/printable.h).
 * The caller frees it. NO_PROCEDURE is "<unknown>".
 */
char *procedure_label(const struct procedure_labels *labels, uint32_t number);

/* Append a label, with at most `width` characters; 0: no limit. Returns whether
 * it was cut. */
bool label_append(const char *label, size_t width, struct str *out);

/* Append the line which says that labels were cut, and what the user has to
 * type to see them. */
void labels_cut_note(const struct report_options *options, struct str *out);

#endif
