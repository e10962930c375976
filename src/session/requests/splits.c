/*
 * splits.c - nodes and legs that are split by the value of an expression
 *
 * The expression of a split belongs to a breakpoint, which evaluates the
 * expression at every hit and gets a label, the name of a row. The counts of
 * the rows belong to the measure layer. The index of the expression among the
 * label expressions of the breakpoint (`label` in struct split_spec) tells the
 * measure layer which label of a hit to count.
 */
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/session/measurements.h"
#include "requests.h"

struct error *parse_by(const char *text, struct expr **out, bool *at_to)
{
	struct error *error;

	/* A text that begins with `::name` is not the form ":EXPR": `::name` is
	 * a global name of C++. */
	*at_to = text[0] == ':' && (text[1] != ':' || text[2] == ':');
	error = expr_parse(text + *at_to, out);
	return error ? error_prefix(error, "by") : NULL;
}

/* Of a value that is known only at the end of a leg (`$ret'), says how to ask
 * for it there. */
static struct error *explain_by(struct session *session, const char *by,
				struct breakpoint *to, bool at_to,
				struct error *error)
{
	struct expr *expr;
	struct error *at_end;
	uint32_t label;

	if (at_to)
		return error_prefix(error, "by");
	at_end = expr_parse(by, &expr);
	if (!at_end)
		at_end = probe_use_expr(session->probe, to, USE_LABEL, expr,
					&label);
	if (at_end) {
		error_destroy(at_end);
		return error_prefix(error, "by");
	}
	probe_drop_expr(session->probe, to, USE_LABEL, label);
	at_end = error_create(error_code(error),
			      "%s; `by=:%s' evaluates it where the leg ends",
			      error_message(error), by);
	error_destroy(error);
	return error_prefix(at_end, "by");
}

struct error *check_by(struct session *session, const char *by,
		       struct breakpoint *from, struct breakpoint *to)
{
	struct breakpoint *breakpoint;
	struct error *error;
	struct expr *expr;
	uint32_t label;
	bool at_to;

	TRY(parse_by(by, &expr, &at_to));
	breakpoint = at_to ? to : from;
	error = probe_use_expr(session->probe, breakpoint, USE_LABEL, expr,
			       &label);
	if (error)
		return explain_by(session, by, to, at_to, error);
	probe_drop_expr(session->probe, breakpoint, USE_LABEL, label);
	return NULL;
}

/* The same for a leg whose nodes the user may have deleted since. */
static struct error *check_leg_by(struct session *session,
				  const struct measure_leg *leg, const char *by)
{
	struct breakpoint *from, *to;
	struct error *error;

	error = find_breakpoint(session, leg->spec.from, &from);
	if (!error)
		error = find_breakpoint(session, leg->spec.to, &to);
	if (!error)
		return check_by(session, by, from, to);
	/* Who uses the node that is missing reports it. */
	error_destroy(error);
	return NULL;
}

static struct error *use_label(struct session *session, uint32_t node,
			       struct expr *expr, struct split_spec *spec)
{
	struct breakpoint *breakpoint;
	struct error *error;

	error = find_breakpoint(session, node, &breakpoint);
	if (error) {
		expr_destroy(expr);
		return error;
	}
	error = probe_use_expr(session->probe, breakpoint, USE_LABEL, expr,
			       &spec->label);
	return error ? error_prefix(error, "by") : NULL;
}

struct error *split_leg(struct session *session, uint32_t id, const char *by,
			const struct split_view *view)
{
	const struct measure_leg *leg = measure_leg(session->measure, id);
	struct split_spec spec = {.view = *view};
	struct expr *expr;

	if (!leg)
		return error_create(ERROR_NOT_FOUND, "there is no leg %u", id);
	TRY(check_leg_by(session, leg, by));
	TRY(parse_by(by, &expr, &spec.at_to));
	TRY(use_label(session, spec.at_to ? leg->spec.to : leg->spec.from, expr,
		      &spec));
	/* The old split is released only after the new one exists. Both may use
	 * the same expression, which must not be dropped in between. */
	release_leg_split(session, leg);
	return measure_split_leg(session->measure, id, &spec);
}

static struct error *split_node(struct session *session, uint32_t id,
				const char *by, const struct split_view *view,
				struct str *out)
{
	struct split_spec spec = {.view = *view};
	struct breakpoint *breakpoint;
	struct expr *expr;

	TRY(find_breakpoint(session, id, &breakpoint));
	TRY(parse_by(by, &expr, &spec.at_to));
	if (spec.at_to) {
		expr_destroy(expr);
		return error_create(ERROR_USAGE,
				    "by=%s: a value at the end (:EXPR) is for "
				    "legs; a node has no end",
				    by);
	}
	TRY(use_label(session, id, expr, &spec));
	TRY(make_node(session, breakpoint, out));
	release_node_split(session, measure_node(session->measure, id));
	return measure_split_node(session->measure, id, &spec);
}

struct error *session_split(struct session *session,
			    const struct split_request *request,
			    struct str *out)
{
	struct measure *measure = session->measure;
	enum split_sort sort = request->view.sort;

	if (!request->of_leg && (sort == SORT_TIME || sort == SORT_MEAN))
		return error_create(ERROR_USAGE,
				    "sort=time and sort=mean are for legs; a "
				    "node has no times");
	TRY(settle_counts(session));
	if (!request->by)
		return request->of_leg ? measure_view_leg(measure, request->id,
							  &request->view)
				       : measure_view_node(measure, request->id,
							   &request->view);
	if (request->of_leg)
		TRY(split_leg(session, request->id, request->by,
			      &request->view));
	else
		TRY(split_node(session, request->id, request->by,
			       &request->view, out));
	str_printf(out, "%s %u is split by %s\n",
		   request->of_leg ? "Leg" : "Node", request->id, request->by);
	return NULL;
}

struct error *session_unsplit(struct session *session, bool of_leg, uint32_t id)
{
	const struct measure_node *node = measure_node(session->measure, id);
	const struct measure_leg *leg = measure_leg(session->measure, id);

	TRY(settle_counts(session));
	if (of_leg && leg)
		release_leg_split(session, leg);
	if (!of_leg && node)
		release_node_split(session, node);
	return of_leg ? measure_unsplit_leg(session->measure, id)
		      : measure_unsplit_node(session->measure, id);
}

/* ---- the expressions that legs and splits use -------------------------- */

static void drop(struct session *session, uint32_t node, enum expr_use use,
		 uint32_t index)
{
	struct breakpoint *breakpoint = probe_find_any(session->probe, node);

	if (breakpoint)
		probe_drop_expr(session->probe, breakpoint, use, index);
}

static uint32_t split_at(const struct measure_leg *leg)
{
	return leg->split->spec.at_to ? leg->spec.to : leg->spec.from;
}

void release_leg_split(struct session *session, const struct measure_leg *leg)
{
	if (leg->split)
		drop(session, split_at(leg), USE_LABEL, leg->split->spec.label);
}

void release_node_split(struct session *session,
			const struct measure_node *node)
{
	if (node->split)
		drop(session, node->id, USE_LABEL, node->split->spec.label);
}

void release_leg(struct session *session, const struct measure_leg *leg)
{
	release_leg_split(session, leg);
	if (leg->spec.owner != OWNER_KEY)
		return;
	drop(session, leg->spec.from, USE_KEY, leg->spec.key_from);
	drop(session, leg->spec.to, USE_KEY, leg->spec.key_to);
}

static const char *label_text(struct session *session, uint32_t node,
			      uint32_t index)
{
	const struct breakpoint *breakpoint =
		probe_find_any(session->probe, node);

	return breakpoint ? probe_expr_text(breakpoint, USE_LABEL, index)
			  : NULL;
}

const char *leg_split_text(struct session *session,
			   const struct measure_leg *leg)
{
	return leg->split ? label_text(session, split_at(leg),
				       leg->split->spec.label)
			  : NULL;
}

const char *node_split_text(struct session *session,
			    const struct measure_node *node)
{
	return node->split
		       ? label_text(session, node->id, node->split->spec.label)
		       : NULL;
}
