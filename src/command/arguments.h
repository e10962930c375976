/*
 * arguments.h - the small parts of arguments: numbers, `name=value`, labels
 */
#ifndef COMMAND_ARGUMENTS_H
#define COMMAND_ARGUMENTS_H

#include "interpreter.h"

/* A number, all of the word, decimal, or octal with a B behind it; `what` is
 * for the error: "node". */
struct error *argument_id(const char *word, const char *what, uint32_t *id);
/* Are all of it digits, with a B behind them or without? */
bool argument_is_number(const char *word);
struct error *argument_number(const char *word, const char *what, int64_t least,
			      int64_t most, int64_t *number);

/* "name=VALUE", case of the name ignored: VALUE, or NULL. */
const char *argument_value(const char *word, const char *name);

/* `node N` or `leg N` at this argument. */
struct error *argument_owner(const struct call *call, size_t index,
			     bool *of_leg, uint32_t *id);

/* An expression with blanks may be quoted: `by="a + 1"` becomes `by=a + 1`, for
 * a string alone means nothing there. Of all words. */
void argument_unquote(struct words *words);

/* `rows=N` or `sort=time|count|mean`; `*found`: it is one of them. */
struct error *argument_view(const char *word, struct split_view *view,
			    bool *found);

/* One of these, or `by=EXPR`. */
struct error *argument_by(const struct call *call, const char *word,
			  const char **by, struct split_view *view,
			  bool *found);

/* An error when there is a view of what is not split. */
struct error *argument_check_by(const struct call *call, const char *by,
				const struct split_view *view);

/* How long the label is that the text begins with, with its colon; 0: it begins
 * with none. `*becomes`, of that length, is what stands for it: "class=", or
 * nothing. */
size_t argument_label(const char *text, const char *labels,
		      const char **becomes, size_t *length);

/* Take the memo's labels out of a text (table.h says how they are declared);
 * appended to `out`. */
void argument_labels(const char *text, const char *labels, struct str *out);

#endif
