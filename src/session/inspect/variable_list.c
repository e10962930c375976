/*
 * variable_list.c - prints the arguments and local variables of a frame with
 * their values
 */
#include <stdlib.h>
#include <string.h>

#include "inspect.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/expr_print.h"

/* The frame whose variables are listed, and the form in which they are printed.
 */
struct listing {
	struct session *session;
	const struct frame *frame;
	struct expr_place place;
	bool arguments_only; /* only the arguments, on one line, with shortened
			      * values */
	bool any;
	struct str *out;
};

/* Appends why a variable has no value, in gdb's form. */
static void print_problem(const struct error *error, bool brief,
			  struct str *out)
{
	const char *message = error_message(error), *reason;

	/* The message may begin with "column 1: 'NAME': ". This part refers to
	 * a column of an expression that the user has not typed, so it is left
	 * out. */
	reason = strstr(message, "': ");
	if (strstr(message, "optimized out"))
		str_append(out, "<optimized out>");
	else if (brief && strstr(message, "no value yet"))
		str_append(out, "<no value yet>");
	else
		str_printf(out, "<%s>", reason ? reason + 3 : message);
}

static struct error *print_value(struct listing *listing, const char *name,
				 struct variable *variable)
{
	struct user_regs_struct regs;
	struct bound_expr *bound;
	struct expr_input input;
	struct scratch scratch;
	struct error *error;

	TRY(expr_bind_variable(&listing->place, name, variable, &bound));
	frame_input(listing->session, listing->frame, &regs, &scratch, &input);
	error = bound_expr_print_plain(bound, &input, listing->arguments_only,
				       listing->out);
	bound_expr_destroy(bound);
	return error;
}

static bool list_variable(void *context, const char *name, bool is_parameter,
			  struct variable *variable, struct error *error)
{
	struct listing *listing = context;

	if (listing->arguments_only && !is_parameter) {
		variable_destroy(variable);
		error_destroy(error);
		return false;
	}
	if (listing->arguments_only)
		str_printf(listing->out, "%s%s=", listing->any ? ", " : "",
			   name);
	else
		str_printf(listing->out, "%s = ", name);
	listing->any = true;
	if (variable)
		error = print_value(listing, name, variable);
	if (error)
		print_problem(error, listing->arguments_only, listing->out);
	error_destroy(error);
	if (!listing->arguments_only)
		str_append_char(listing->out, '\n');
	return true;
}

static void list_variables(struct listing *listing, unsigned inlined)
{
	frame_expr_place(listing->session, listing->frame, inlined,
			 &listing->place);
	debugfile_each_frame_variable(
		listing->frame->file, listing->place.address,
		listing->place.at_entry, inlined, list_variable, listing);
}

void print_arguments(struct session *session, const struct frame *frame,
		     unsigned inlined, struct str *out)
{
	struct listing listing = {.session = session,
				  .frame = frame,
				  .arguments_only = true,
				  .out = out};

	list_variables(&listing, inlined);
}

struct error *session_list_locals(struct session *session, struct str *out)
{
	struct source_place place;
	struct listing listing = {
		.session = session, .frame = &place.frame, .out = out};

	TRY(find_place(session, &place));
	source_place_clear(&place);
	if (place.frame.file)
		list_variables(&listing, place.inlined);
	if (!listing.any)
		str_append(out, "No variables are known here.\n");
	return NULL;
}
