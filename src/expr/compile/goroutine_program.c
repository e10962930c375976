/*
 * goroutine_program.c - programs with which a fast node reads the descriptor of
 * the goroutine that the thread executes
 *
 * Such a program is only used where the Go runtime has begun: the pointer to
 * the descriptor is then never null.
 */
#include "perftool/debuginfo/go_program.h"
#include "perftool/expr.h"

static void add_descriptor(const struct go_runtime *go,
			   struct fast_program *out)
{
	int64_t distance = go->slot;

	*out = (struct fast_program){0};
	fast_add(out, (struct fast_step){.operation = FAST_THREAD,
					 .number = (uint64_t)distance});
}

static void add_member(uint32_t offset, struct fast_program *out)
{
	fast_add(out, (struct fast_step){.operation = FAST_FOLLOW,
					 .number = offset});
}

void goroutine_id_program(const struct go_runtime *go, struct fast_program *out)
{
	add_descriptor(go, out);
	if (go->goid)
		add_member(go->goid, out);
}

void goroutine_stack_program(const struct go_runtime *go,
			     struct fast_program *out)
{
	add_descriptor(go, out);
	add_member(go->stack_top, out);
}
