/*
 * expect.c - the command `expect`, which checks an expectation: a statement
 * about figures of the tables
 *
 * If an expectation is not met, the tool only tells the user. The script
 * continues, and the process that has started the tool learns of the failure
 * from the exit status.
 */
#include "expect.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/session/measurements.h"
#include "perftool/session/user_interface.h"

#include "command/interpreter.h"

static void kept_deinit(struct kept_expectation *kept)
{
	expectation_deinit(&kept->expectation);
	free(kept->place);
}

void expectations_deinit(struct expectations *expectations)
{
	for (size_t i = 0; i < expectations->kept.count; i++)
		kept_deinit(&expectations->kept.data[i]);
	vec_free(&expectations->kept);
}

/* ---- checking -------------------------------------------------------------
 */

/* Gives the user a remark about an expectation. The text is a remark and not a
 * message of a command, because messages may be turned off, and no other part
 * of the tool tells the user the figures. */
static void tell(const struct interpreter *interpreter,
		 const struct kept_expectation *kept, const char *found)
{
	const struct session_ui *ui = interpreter->options.ui;
	CLEANUP(free_pointer)
	char *text = xasprintf(
		"%s%sexpect %s: %s", kept->place ? kept->place : "",
		kept->place ? ": " : "", kept->expectation.text, found);

	if (ui && ui->note)
		ui->note(ui->context, text);
}

/* Checks an expectation, and tells the user if it is not met. `found` gets the
 * figures that the expectation names. */
static struct error *check(struct interpreter *interpreter,
			   const struct kept_expectation *kept, bool *met,
			   struct str *found)
{
	TRY(expectation_check(&kept->expectation,
			      session_tables(interpreter->options.session), met,
			      found));
	if (*met)
		return NULL;
	interpreter->expectations.is_unmet = true;
	tell(interpreter, kept, str_text(found));
	return NULL;
}

/* If one expectation cannot be checked, the others are checked all the same. */
void expectations_check(struct interpreter *interpreter)
{
	struct expectations *all = &interpreter->expectations;

	for (size_t i = 0; i < all->kept.count; i++) {
		struct kept_expectation *kept = &all->kept.data[i];
		struct str found = {0};
		struct error *error;
		bool met;

		error = check(interpreter, kept, &met, &found);
		if (error) {
			all->has_failed = true;
			tell(interpreter, kept, error_message(error));
		}
		error_destroy(error);
		str_deinit(&found);
		kept_deinit(kept);
	}
	vec_clear(&all->kept);
}

enum expected interpreter_expected(struct interpreter *interpreter)
{
	const struct expectations *all = &interpreter->expectations;

	expectations_check(interpreter);
	return all->has_failed ? EXPECTED_FAILED
	       : all->is_unmet ? EXPECTED_UNMET
			       : EXPECTED_MET;
}

/* ---- now, or when the run has ended ---------------------------------------
 */

/* Is the expectation checked later, when a run has ended? At a prompt, the tool
 * always checks an expectation at once, with the present figures. It also does
 * so for an attached program, because that program runs already, unless batch
 * mode is about to measure the program. */
static bool is_for_later(const struct interpreter *interpreter)
{
	const struct session *session = interpreter->options.session;

	if (interpreter->options.interactive || session_was_run(session))
		return false;
	return interpreter->options.runs_later || !session_has_process(session);
}

bool expectations_are_due(const struct interpreter *interpreter)
{
	const struct session *session = interpreter->options.session;

	return interpreter->expectations.kept.count &&
	       session_was_run(session) && !session_has_process(session);
}

/* Returns the arguments of the command as text, without a comment and blanks at
 * the end. The caller frees the result. */
static char *expression_of(const struct call *call)
{
	return xstrndup(call->rest, token_without_comment(call->rest));
}

static struct error *check_now(struct call *call,
			       const struct kept_expectation *kept)
{
	struct interpreter *interpreter = call->interpreter;
	struct str found = {0};
	struct error *error;
	bool met = false;

	error = check(interpreter, kept, &met, &found);
	if (met && !interpreter_is_script(interpreter))
		str_printf(&call->said, "Met: %s\n", str_text(&found));
	str_deinit(&found);
	return error;
}

static struct error *run_expect(struct call *call)
{
	struct interpreter *interpreter = call->interpreter;
	CLEANUP(free_pointer) char *text = expression_of(call);
	struct kept_expectation kept = {0};
	struct error *error;

	if (!*text)
		return call_usage(call, "an expression is missing");
	TRY(expectation_parse(text, &kept.expectation));
	if (interpreter->script)
		kept.place = xasprintf("%s:%lu", interpreter->script,
				       interpreter->line);
	if (is_for_later(interpreter)) {
		vec_push(&interpreter->expectations.kept, kept);
		return NULL;
	}
	error = check_now(call, &kept);
	kept_deinit(&kept);
	return error;
}

const struct command expect_commands[] = {
	{.words = "expect",
	 .arguments = "EXPR",
	 .summary = "check figures; report what is false, status 124",
	 .help = "EXPR compares figures of the tables: leg(N) or leg(\"NAME\") "
		 "with .count, .total, .mean, .min, .max, .p50, .p90, .p99, "
		 ".p999 or .open, and node(N).count. A time has a unit (200ns, "
		 "1.5us, 3ms, 2s), or is a number of ns. There are < <= > >= "
		 "== !=, + - * /, && || ! and parentheses; a number alone is "
		 "true unless it is 0.\n"
		 "When EXPR is true, perftool prints nothing. When it is "
		 "false, a line on standard error says what was expected and "
		 "what was found, and the script goes on; in batch mode, and "
		 "with commands from standard input, the exit status is then "
		 "124. The status is also 124 when EXPR depends on a figure "
		 "that is not known: a time of a leg that was not executed, or "
		 "the exact value of a mean that is below the resolution. (Of "
		 "such a mean perftool only knows that it is less than the "
		 "resolution.) A leg that does not exist is an error, and the "
		 "status is 125.\n"
		 "In a script, perftool keeps an `expect' that comes before "
		 "the program has run, and checks it when the run has ended, "
		 "whether `run' or batch mode (-b, -t) started that run, and "
		 "at the latest at the end of the commands. It also keeps an "
		 "`expect' that comes before batch mode measures a process "
		 "(-p). It checks every other `expect' at once, with the "
		 "current figures.\n"
		 "    expect leg(\"parse\").p99 < 3ms\n"
		 "    expect leg(0).count == 511 && leg(0).open == 0\n"
		 "    expect leg(\"get\").mean * 2 < leg(\"set\").mean\n"
		 "    expect node(1).count > 0",
	 .complete = "@expectation...",
	 .flags = COMMAND_REST,
	 .asks = "what is expected",
	 .run = run_expect},
	{.words = NULL},
};
