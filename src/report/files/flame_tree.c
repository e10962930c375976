/* flame_tree.c - see flame_tree.h */
#include "flame_tree.h"

/* Return the child of a node, which is new if there is none yet, and add the
 * weight to it. */
static uint32_t enter(struct flame_tree *tree, uint32_t parent,
		      enum flame_kind kind, uint32_t number, uint64_t weight)
{
	/* a parent has children of the kind that its own kind allows, but for
	 * the broken one, whose number no thread and no procedure has */
	uint32_t id = kind == FLAME_BROKEN ? NO_PROCEDURE : number;
	uint64_t key = (uint64_t)parent << 32 | id;
	uint64_t child = map_get_number(&tree->by_key, key);
	struct flame_node node = {.kind = kind, .number = number};

	if (!child) {
		child = tree->nodes.count;
		node.level = tree->nodes.data[parent].level + 1;
		node.next = tree->nodes.data[parent].first;
		vec_push(&tree->nodes, node);
		tree->nodes.data[parent].first = (uint32_t)child;
		map_set_number(&tree->by_key, key, child);
	}
	tree->nodes.data[child].weight += weight;
	return (uint32_t)child;
}

static void add_stack(struct flame_tree *tree, const struct call_stacks *stacks,
		      const struct stack_weight *at, size_t levels)
{
	const struct call_stack *stack = &stacks->stacks.data[at->stack];
	size_t end = stack->depth > levels ? stack->depth - levels : 0;
	uint32_t node;

	tree->nodes.data[0].weight += at->weight;
	node = enter(tree, 0, FLAME_THREAD, at->name, at->weight);
	if (stack->is_broken)
		node = enter(tree, node, FLAME_BROKEN, 0, at->weight);
	for (size_t i = stack->depth; i-- > end;)
		node = enter(tree, node, FLAME_PROCEDURE,
			     call_stack_procedure(stacks, stack, i),
			     at->weight);
	if (end)
		tree->cut += at->weight;
}

void flame_tree_init(struct flame_tree *tree, const struct call_stacks *stacks,
		     const struct stack_weights *weights, size_t levels)
{
	*tree = (struct flame_tree){0};
	vec_push(&tree->nodes, (struct flame_node){.kind = FLAME_ROOT});
	for (size_t i = 0; i < weights->list.count; i++)
		add_stack(tree, stacks, &weights->list.data[i], levels);
}

void flame_tree_deinit(struct flame_tree *tree)
{
	vec_free(&tree->nodes);
	map_deinit(&tree->by_key);
}
