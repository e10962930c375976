/*
 * flame_tree.h - all stacks as one tree whose root is the whole profile: what a
 * flame graph draws
 */
#ifndef REPORT_FLAME_TREE_H
#define REPORT_FLAME_TREE_H

#include "perftool/base/map.h"
#include "stack_weights.h"

enum flame_kind { FLAME_ROOT, FLAME_THREAD, FLAME_BROKEN, FLAME_PROCEDURE };

struct flame_node {
	enum flame_kind kind;
	/* the procedure, or the index of the thread's name in struct
	 * stack_weights */
	uint32_t number;
	uint32_t level; /* 0: the root */
	uint64_t weight;
	uint32_t first, next; /* child and sibling: indices; 0: none */
};

/* All zero is empty. */
struct flame_tree {
	VEC(struct flame_node) nodes; /* the root is the first */
	struct map by_key;
	/* the weight of the stacks that are deeper than the tree */
	uint64_t cut;
};

/* Make the tree of the outermost frames, `levels` of them at most, those of
 * threads and FLAME_BROKEN not counted. */
void flame_tree_init(struct flame_tree *tree, const struct call_stacks *stacks,
		     const struct stack_weights *weights, size_t levels);
void flame_tree_deinit(struct flame_tree *tree);

#endif
