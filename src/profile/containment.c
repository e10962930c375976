/*
 * containment.c - see perftool/profile/containment.h
 *
 * What decides is the order in which the procedures of a stack first occur,
 * from its outermost frame on: its path. All paths make a tree whose branches
 * share what is common at their beginnings. A procedure has a node in the tree
 * for each different path above it, and a label does not occur twice in a path.
 *
 * The candidates for the parent of X are the labels that are above each node of
 * X. The deepest node that is above all nodes of X, and what is above that
 * node, are candidates in a certain order. Other candidates are below that
 * node, in each path, and may change places there. find_cut() looks for the
 * lowest candidate that has the same candidates below it in each path: it
 * changes places with none. It walks up all paths together, only as far as
 * necessary, so that long paths with a near parent take little time.
 *
 * A recursive candidate is at several places above X, and with mutual recursion
 * the outermost places change: in visit→each→visit→X and each→visit→X the
 * candidate visit is first above each and then below it, although it is always
 * visit that calls X. So find_innermost_cut() looks for such a candidate in the
 * order of the innermost places above X. The parent is the one of the two that
 * has fewer candidates below it.
 *
 * The nodes are numbered in depth-first order. So the nodes below a node are
 * a range of numbers, and whether a node with some label is above another node
 * is found by binary search.
 */
#include "perftool/profile/containment.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/search.h"

struct node {
	uint32_t label;  /* a procedure; of the root NO_PROCEDURE */
	uint32_t parent; /* number of a node; of the root the root, 0 */
	uint32_t end;    /* the nodes below are those up to this number */
	uint32_t depth;
	/* the paths that have the node: from `path` up to `path_end` */
	uint32_t path, path_end;
};

struct path {
	size_t first, count; /* elements of `labels` */
	uint32_t stack;
};

/* The nodes of one label, in rising order. */
struct node_list {
	const uint32_t *nodes;
	size_t count;
};

struct label {
	struct node_list list;
	uint64_t weight; /* of the paths that have the label */
	/* a stack that has the label has some label twice */
	bool is_recursive;
	/* The following are about the procedure that find_cut() works on, whose
	 * number plus 1 is `asked`. */
	uint32_t asked;
	bool is_candidate;
	enum { UNSEEN, SEEN_ELSEWHERE, BELOW_CUT } state;
	/* The following are for find_innermost_cut(): the place of the
	 * candidate in the list of the first stack, from 1 on, or 0; and the
	 * last list that has it. */
	size_t rank;
	uint64_t in_list;
};

struct tree {
	const struct call_stacks *stacks;
	const struct stack_figures *figures;
	const bool *is_shown;
	VEC(uint32_t) labels; /* of all paths */
	VEC(struct path) paths;
	VEC(struct node) nodes;
	struct label *by_label; /* for each procedure */
	uint32_t *lists;        /* the nodes of all labels */
	uint64_t lists_made;    /* by list_innermost() */
};

/* ---- paths --------------------------------------------------------------- */

static void add_path(struct tree *tree, uint32_t number)
{
	const struct call_stack *stack = &tree->stacks->stacks.data[number];
	struct path path = {.first = tree->labels.count, .stack = number};
	bool is_recursive = false;

	for (size_t i = stack->depth; i-- > 0;) {
		uint32_t procedure =
			call_stack_procedure(tree->stacks, stack, i);
		struct label *label = &tree->by_label[procedure];

		if (!tree->is_shown[procedure])
			continue;
		is_recursive |= label->asked == number + 1;
		if (label->asked == number + 1)
			continue;
		label->asked = number + 1;
		label->weight += tree->figures->stacks[number].total;
		vec_push(&tree->labels, procedure);
	}
	path.count = tree->labels.count - path.first;
	for (size_t i = 0; i < path.count; i++)
		tree->by_label[tree->labels.data[path.first + i]]
			.is_recursive |= is_recursive;
	if (path.count)
		vec_push(&tree->paths, path);
}

static int compare_paths(const void *left, const void *right, void *context)
{
	const struct path *a = left, *b = right;
	const uint32_t *labels = context;
	size_t common = a->count < b->count ? a->count : b->count;

	for (size_t i = 0; i < common; i++) {
		uint32_t x = labels[a->first + i], y = labels[b->first + i];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return (a->count > b->count) - (a->count < b->count);
}

/* ---- the tree ------------------------------------------------------------ */

/* Returns the node, of those from `node` up, that ends the part that the path
 * and the path of `node` have in common. */
static uint32_t common_node(const struct tree *tree, uint32_t node,
			    const struct path *path)
{
	const uint32_t *labels = tree->labels.data;
	const struct path *before;
	size_t common = 0;

	if (path == tree->paths.data)
		return 0;
	before = path - 1;
	while (common < path->count && common < before->count &&
	       labels[path->first + common] == labels[before->first + common])
		common++;
	while (tree->nodes.data[node].depth > common)
		node = tree->nodes.data[node].parent;
	return node;
}

/* Adds the nodes of one path after the other; the paths are sorted. */
static void add_nodes(struct tree *tree)
{
	uint32_t last = 0;

	vec_push(&tree->nodes, (struct node){.label = NO_PROCEDURE});
	for (size_t i = 0; i < tree->paths.count; i++) {
		const struct path *path = &tree->paths.data[i];

		last = common_node(tree, last, path);
		for (size_t at = tree->nodes.data[last].depth; at < path->count;
		     at++) {
			struct node node = {
				.label = tree->labels.data[path->first + at],
				.parent = last,
				.depth = (uint32_t)at + 1,
				.path = (uint32_t)i};

			last = (uint32_t)tree->nodes.count;
			vec_push(&tree->nodes, node);
		}
		tree->nodes.data[last].path_end = (uint32_t)i + 1;
	}
	/* a child has a higher number than its parent */
	for (size_t i = tree->nodes.count; i-- > 0;) {
		struct node *node = &tree->nodes.data[i];
		struct node *parent = &tree->nodes.data[node->parent];

		if (node->end <= i)
			node->end = (uint32_t)i + 1;
		if (parent->end < node->end)
			parent->end = node->end;
		if (parent->path_end < node->path_end)
			parent->path_end = node->path_end;
	}
}

static void list_nodes_of_labels(struct tree *tree)
{
	size_t procedures = tree->stacks->procedures.list.count, from = 0;

	tree->lists = xcalloc(tree->nodes.count, sizeof(*tree->lists));
	for (size_t i = 1; i < tree->nodes.count; i++)
		tree->by_label[tree->nodes.data[i].label].list.count++;
	for (size_t i = 0; i < procedures; i++) {
		struct node_list *list = &tree->by_label[i].list;

		list->nodes = tree->lists + from;
		from += list->count;
		list->count = 0;
		tree->by_label[i].asked = 0;
	}
	for (size_t i = 1; i < tree->nodes.count; i++) {
		struct node_list *list =
			&tree->by_label[tree->nodes.data[i].label].list;

		tree->lists[(size_t)(list->nodes - tree->lists) +
			    list->count++] = (uint32_t)i;
	}
}

/* Makes a tree of the stacks that were unwound to their ends, or of those that
 * were not. */
static void tree_init(struct tree *tree, const struct call_stacks *stacks,
		      const struct stack_figures *figures, const bool *is_shown,
		      bool is_broken)
{
	*tree = (struct tree){
		.stacks = stacks, .figures = figures, .is_shown = is_shown};
	tree->by_label = xcalloc(stacks->procedures.list.count + 1,
				 sizeof(*tree->by_label));
	for (uint32_t i = 0; i < stacks->stacks.count; i++) {
		if (figures->stacks[i].total &&
		    stacks->stacks.data[i].is_broken == is_broken)
			add_path(tree, i);
	}
	if (tree->paths.count)
		qsort_r(tree->paths.data, tree->paths.count,
			sizeof(*tree->paths.data), compare_paths,
			tree->labels.data);
	add_nodes(tree);
	list_nodes_of_labels(tree);
}

static void tree_deinit(struct tree *tree)
{
	vec_free(&tree->labels);
	vec_free(&tree->paths);
	vec_free(&tree->nodes);
	free(tree->by_label);
	free(tree->lists);
}

/* ---- the parent of a procedure ------------------------------------------- */

/* Is a node of `above` above each node of `below`? */
static bool is_above_all(const struct tree *tree, const struct node_list *above,
			 const struct node_list *below)
{
	size_t at = 0, next;

	while (at < below->count) {
		uint32_t end;

		SEARCH_FIRST(next, above->count,
			     above->nodes[next] > below->nodes[at]);
		if (!next)
			return false;
		/* the last node of `above` before it is the only one that can
		 * be above it */
		end = tree->nodes.data[above->nodes[next - 1]].end;
		if (end <= below->nodes[at])
			return false;
		SEARCH_FIRST(at, below->count, below->nodes[at] >= end);
	}
	return true;
}

/* The search for the parent of one procedure. */
struct cut {
	struct tree *tree;
	uint32_t procedure;
	struct node_list nodes; /* of the procedure; each has a path */
	uint32_t common;        /* the deepest node that is above all of them */
	uint32_t *reached; /* for each path: the highest node that was seen */
	size_t *seen;      /* for each path: the candidates that were seen */
	size_t below;     /* candidates at or below the cut in the first path */
	size_t elsewhere; /* labels that are SEEN_ELSEWHERE */
};

/* Returns what is known of a label in the search for this cut. */
static struct label *candidate(struct cut *cut, uint32_t number)
{
	struct label *label = &cut->tree->by_label[number];
	const struct label *own = &cut->tree->by_label[cut->procedure];

	if (label->asked == cut->procedure + 1)
		return label;
	label->asked = cut->procedure + 1;
	label->state = UNSEEN;
	label->is_candidate = label->weight >= own->weight &&
			      is_above_all(cut->tree, &label->list, &own->list);
	return label;
}

/* Walks up a path until it has as many candidates as the first path has at and
 * below the cut. Returns whether they are the same, and the highest of them is
 * `top`. */
static bool has_cut(struct cut *cut, size_t path, uint32_t top)
{
	const struct node *nodes = cut->tree->nodes.data;

	while (cut->seen[path] < cut->below) {
		uint32_t at = nodes[cut->reached[path]].parent;
		struct label *label = candidate(cut, nodes[at].label);

		cut->reached[path] = at;
		if (!label->is_candidate)
			continue;
		cut->seen[path]++;
		if (label->state == UNSEEN) {
			label->state = SEEN_ELSEWHERE;
			cut->elsewhere++;
		}
	}
	return !cut->elsewhere && nodes[cut->reached[path]].label == top;
}

/* Returns the lowest label, below the common node, that has the same candidates
 * below it in each path; the label of the common node if there is none.
 * `cut->below` becomes the number of candidates that are below the result. */
static uint32_t find_cut(struct cut *cut, size_t first)
{
	const struct node *nodes = cut->tree->nodes.data;

	for (uint32_t at = nodes[cut->nodes.nodes[first]].parent;
	     at != cut->common; at = nodes[at].parent) {
		struct label *label = candidate(cut, nodes[at].label);
		bool is_cut;

		if (!label->is_candidate)
			continue;
		if (label->state == SEEN_ELSEWHERE)
			cut->elsewhere--;
		label->state = BELOW_CUT;
		cut->below++;
		is_cut = !cut->elsewhere;
		for (size_t i = 0; i < cut->nodes.count && is_cut; i++)
			is_cut = has_cut(cut, i, nodes[at].label);
		if (is_cut) {
			cut->below--;
			return nodes[at].label;
		}
	}
	return nodes[cut->common].label;
}

/* Returns the deepest node that is above two nodes. */
static uint32_t common_above(const struct tree *tree, uint32_t a, uint32_t b)
{
	const struct node *nodes = tree->nodes.data;

	while (a != b) {
		if (nodes[a].depth >= nodes[b].depth)
			a = nodes[a].parent;
		else
			b = nodes[b].parent;
	}
	return a;
}

/* ---- the order of innermost places --------------------------------------- */

VEC_STRUCT(label_list, uint32_t);

/* Lists the candidates above the outermost frame of the cut's procedure, which
 * the stack has, from there outwards, each at its innermost place; at most
 * `most` of them. */
static void list_innermost(struct cut *cut, uint32_t number, size_t most,
			   struct label_list *out)
{
	struct tree *tree = cut->tree;
	const struct call_stack *stack = &tree->stacks->stacks.data[number];
	size_t at = stack->depth;

	while (call_stack_procedure(tree->stacks, stack, at - 1) !=
	       cut->procedure)
		at--;
	tree->lists_made++;
	vec_clear(out);
	for (; at < stack->depth && out->count < most; at++) {
		uint32_t procedure =
			call_stack_procedure(tree->stacks, stack, at);
		struct label *label;

		if (!tree->is_shown[procedure])
			continue;
		label = candidate(cut, procedure);
		if (!label->is_candidate || label->in_list == tree->lists_made)
			continue;
		label->in_list = tree->lists_made;
		vec_push(out, procedure);
	}
}

/* The cuts that are possible in all stacks so far, in the order of the
 * innermost places. */
struct innermost_cuts {
	struct label_list first; /* the candidates of the first stack */
	bool *is_cut;            /* for each of them */
	size_t count;            /* how many are possible */
};

static void begin_cuts(struct cut *cut, uint32_t number, size_t most,
		       struct innermost_cuts *cuts)
{
	list_innermost(cut, number, most, &cuts->first);
	cuts->count = cuts->first.count;
	cuts->is_cut = xmalloc((cuts->count + 1) * sizeof(*cuts->is_cut));
	for (size_t i = 0; i < cuts->count; i++) {
		cuts->is_cut[i] = true;
		cut->tree->by_label[cuts->first.data[i]].rank = i + 1;
	}
}

/* Keeps those that are possible in this stack, too: it has the same candidates
 * at and below the cut. `list` has the stack's candidates. */
static void keep_cuts(const struct cut *cut, const struct label_list *list,
		      struct innermost_cuts *cuts)
{
	size_t highest = 0;

	cuts->count = 0;
	for (size_t i = 0; i < list->count; i++) {
		size_t rank = cut->tree->by_label[list->data[i]].rank;

		if (!rank)
			highest = SIZE_MAX;
		else if (rank > highest)
			highest = rank;
		cuts->is_cut[i] &= highest == i + 1 &&
				   list->data[i] == cuts->first.data[i];
		cuts->count += cuts->is_cut[i];
	}
}

/* Goes through the stacks that have the procedure, as long as a cut is
 * possible. */
static void find_cuts(struct cut *cut, size_t most, struct innermost_cuts *cuts)
{
	const struct tree *tree = cut->tree;
	struct label_list list = {0};

	for (size_t i = 0; i < cut->nodes.count; i++) {
		const struct node *node =
			&tree->nodes.data[cut->nodes.nodes[i]];

		for (uint32_t j = node->path; j < node->path_end; j++) {
			uint32_t stack = tree->paths.data[j].stack;

			if (!cuts->is_cut) {
				begin_cuts(cut, stack, most, cuts);
			} else if (cuts->count) {
				list_innermost(cut, stack, most, &list);
				keep_cuts(cut, &list, cuts);
			}
		}
	}
	vec_free(&list);
}

/* Returns the lowest label that has the same candidates below it in each stack,
 * in the order of the innermost places, and at most `most` of them;
 * NO_PROCEDURE if there is none. */
static uint32_t find_innermost_cut(struct cut *cut, size_t most)
{
	struct innermost_cuts cuts = {0};
	uint32_t found = NO_PROCEDURE;

	find_cuts(cut, most + 1, &cuts);
	for (size_t i = cuts.first.count; i-- > 0;) {
		cut->tree->by_label[cuts.first.data[i]].rank = 0;
		if (cuts.is_cut[i])
			found = cuts.first.data[i];
	}
	vec_free(&cuts.first);
	free(cuts.is_cut);
	return found;
}

/* ---- parents ------------------------------------------------------------- */

/* Returns the parent in the order of the outermost places. */
static uint32_t find_outermost_cut(struct cut *cut)
{
	const struct tree *tree = cut->tree;
	const uint32_t *nodes = cut->nodes.nodes;
	size_t count = cut->nodes.count, first = 0;
	uint32_t parent;

	if (count == 1)
		return tree->nodes.data[tree->nodes.data[nodes[0]].parent]
			.label;
	/* what is above the first and the last is above those between */
	cut->common = common_above(tree, nodes[0], nodes[count - 1]);
	for (size_t i = 1; i < count; i++) {
		if (tree->nodes.data[nodes[i]].depth <
		    tree->nodes.data[nodes[first]].depth)
			first = i;
	}
	cut->reached = xcalloc(count, sizeof(*cut->reached));
	cut->seen = xcalloc(count, sizeof(*cut->seen));
	memcpy(cut->reached, nodes, count * sizeof(*nodes));
	parent = find_cut(cut, first);
	free(cut->reached);
	free(cut->seen);
	return parent;
}

static uint32_t find_parent(struct tree *tree, uint32_t procedure)
{
	struct cut cut = {.tree = tree,
			  .procedure = procedure,
			  .nodes = tree->by_label[procedure].list};
	uint32_t outermost = find_outermost_cut(&cut), innermost;

	if (!tree->by_label[procedure].is_recursive)
		return outermost;
	innermost = find_innermost_cut(&cut, cut.below);
	return innermost != NO_PROCEDURE ? innermost : outermost;
}

void containment_find(const struct call_stacks *stacks,
		      const struct stack_figures *figures, const bool *is_shown,
		      uint32_t *parents)
{
	size_t count = stacks->procedures.list.count;
	struct tree whole, broken;

	tree_init(&whole, stacks, figures, is_shown, false);
	tree_init(&broken, stacks, figures, is_shown, true);
	for (uint32_t i = 0; i < count; i++) {
		if (whole.by_label[i].list.count)
			parents[i] = find_parent(&whole, i);
		else if (broken.by_label[i].list.count)
			parents[i] = find_parent(&broken, i);
		else
			parents[i] = NO_PROCEDURE;
	}
	tree_deinit(&whole);
	tree_deinit(&broken);
}
