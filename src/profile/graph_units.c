/*
 * graph_units.c - see graph_units.h
 *
 * What the calls by one parent had of the unit's own time is measured where the
 * unit is a procedure that does not call itself. Else only the time of the
 * called procedure itself is. The own times of the recursive calls are then
 * divided among the parents, and the calls that are still open, in proportion
 * to the time that was spent below the called procedure.
 */
#include "graph_units.h"

#include "components.h"
#include "perftool/base/alloc.h"

static void find_units(struct graph_work *work)
{
	const size_t vertices = work->procedures->list.count;
	VEC(struct edge) edges = {0};

	for (size_t i = 0; i < work->arcs.list.count; i++) {
		const struct graph_arc *arc = &work->arcs.list.data[i];

		if (arc->parent != NO_PROCEDURE)
			vec_push(&edges, (struct edge){.from = arc->parent,
						       .to = arc->child});
	}
	work->unit_of = xcalloc(vertices + 1, sizeof(*work->unit_of));
	work->unit_count = components_find(vertices, edges.data, edges.count,
					   work->unit_of);
	work->units = xcalloc(work->unit_count + 1, sizeof(*work->units));
	vec_free(&edges);
}

/* The time of the called procedure itself, as far as it is sure that the calls
 * of this arc had it. What was subtracted for hits may make it longer than the
 * calls; in a recursive unit, the rest is divided. */
static int64_t direct_self(const struct graph_unit *unit,
			   const struct graph_arc *arc)
{
	return unit->is_recursive && arc->self > arc->elapsed ? arc->elapsed
							      : arc->self;
}

static void add_to_unit(struct graph_work *work, const struct graph_arc *arc)
{
	struct graph_unit *unit = &work->units[work->unit_of[arc->child]];

	unit->self += arc->self;
	unit->unreturned += arc->unreturned;
	unit->is_counted |= work->arcs.is_counted[arc->child];
	if (is_inner(work, arc)) {
		unit->is_recursive = true;
		if (arc->parent != arc->child)
			unit->inner += arc->count;
		return;
	}
	unit->called += arc->count;
	unit->incoming += arc->elapsed;
	if (arc->parent != NO_PROCEDURE)
		work->units[work->unit_of[arc->parent]].outgoing +=
			arc->elapsed;
}

/* Add up what is divided among the arcs by others. */
static void prepare_division(struct graph_work *work, struct graph_arc *arc)
{
	struct graph_unit *unit = &work->units[work->unit_of[arc->child]];
	const int64_t direct = direct_self(unit, arc);

	unit->direct_self += direct;
	if (arc->elapsed > direct)
		unit->below += arc->elapsed - direct;
	unit->some_arc = arc;
}

static void add_to_vertices(struct graph_work *work,
			    const struct graph_arc *arc)
{
	struct graph_vertex *child = &work->vertices[arc->child];

	child->is_live = true;
	if (arc->parent == arc->child)
		child->recursive += arc->count;
	else
		child->called += arc->count;
	child->unreturned += arc->unreturned;
	child->self += arc->self;
	/* Without a count it is the time of a call that was not measured. */
	child->elapsed += arc->count ? arc->elapsed : 0;
	if (arc->parent == NO_PROCEDURE)
		return;
	work->vertices[arc->parent].is_live = true;
	if (!is_inner(work, arc))
		work->vertices[arc->parent].outside += arc->elapsed;
}

/* Set what the lines show of an arc that leads into a unit from outside. */
static void divide(struct graph_work *work, struct graph_arc *arc)
{
	struct graph_unit *unit = &work->units[work->unit_of[arc->child]];
	const int64_t rest = unit->self - unit->direct_self;
	const int64_t whole = unit->below + unit->open;
	const int64_t direct = direct_self(unit, arc);
	int64_t share = 0;

	if (whole > 0 && arc->elapsed > direct) {
		/* The shares are the differences of a rounded sum, so they add
		 * up to the rest. */
		unit->divided_below += arc->elapsed - direct;
		share = (int64_t)((__int128)rest * unit->divided_below /
				  whole) -
			unit->divided_self;
	} else if (whole <= 0 && arc == unit->some_arc) {
		share = rest;
	}
	unit->divided_self += share;
	arc->line_self = direct + share;
	arc->line_descendants = arc->elapsed - arc->line_self;
}

/* If all calls have ended, those into the unit took as long as the unit itself
 * and its calls of others. */
static void find_open(struct graph_unit *unit)
{
	unit->open = unit->self + unit->outgoing - unit->incoming;
	if (unit->open < 0 && unit->some_arc)
		unit->open = 0;
}

void graph_units_compute(struct graph_work *work)
{
	struct graph_arcs *arcs = &work->arcs;

	find_units(work);
	for (size_t i = 0; i < arcs->list.count; i++) {
		add_to_unit(work, &arcs->list.data[i]);
		add_to_vertices(work, &arcs->list.data[i]);
	}
	for (size_t i = 0; i < arcs->list.count; i++) {
		if (!is_inner(work, &arcs->list.data[i]))
			prepare_division(work, &arcs->list.data[i]);
	}
	for (size_t i = 0; i < work->unit_count; i++)
		find_open(&work->units[i]);
	for (size_t i = 0; i < arcs->list.count; i++) {
		if (!is_inner(work, &arcs->list.data[i]))
			divide(work, &arcs->list.data[i]);
	}
	for (size_t i = 0; i < work->procedures->list.count; i++)
		work->units[work->unit_of[i]].members +=
			work->vertices[i].is_live;
}
