/*
 * goroutine.c - which goroutine a thread of a Go program executes: `$g`, and
 * what the probe layer asks of every hit there
 *
 * The descriptors of goroutines are never unmapped, so what the thread-local
 * variable points to can always be read, unless it is null.
 */
#include "perftool/expr.h"

#include <string.h>

#include "bind.h"

/* ---- reading ---------------------------------------------------------------
 */

bool goroutine_read(const struct go_runtime *go,
		    const struct frame_reader *reader, struct goroutine *out)
{
	uint64_t slot, descriptor;
	int64_t distance = go->slot;

	*out = (struct goroutine){0};
	if (!go->has_slot || !reader->regs)
		return false;
	/* before the runtime begins there is no such variable, and no
	 * goroutine */
	slot = reader->regs->fs_base + (uint64_t)distance;
	if (!reader->regs->fs_base ||
	    !frame_read(reader, slot, &descriptor, sizeof(descriptor)) ||
	    !descriptor)
		return true;
	out->id = descriptor;
	if (go->goid && !frame_read(reader, descriptor + go->goid, &out->id,
				    sizeof(out->id)))
		return false;
	return frame_read(reader, descriptor + go->stack_top, &out->stack_top,
			  sizeof(out->stack_top));
}

/* ---- fast nodes ------------------------------------------------------------
 */

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

/* ---- $g --------------------------------------------------------------------
 */

/* That of the place's own file, or of the program whose library it is. */
static const struct go_runtime *find_runtime(const struct expr_place *place)
{
	const struct expr_modules *modules = &place->modules;
	const struct go_runtime *go =
		place->file ? debugfile_go(place->file) : NULL;
	struct debugfile *const *files;

	if (!go && modules->files && modules->files(modules->context, &files))
		go = debugfile_go(files[0]);
	return go;
}

struct error *bind_goroutine(struct binder *binder, const struct node *node,
			     struct operand *out)
{
	const struct go_runtime *go = find_runtime(binder->place);

	if (!go)
		return error_create(ERROR_USAGE,
				    "column %zu: '$g' is the goroutine of a Go "
				    "program, and this is none",
				    node->column);
	if (binder->place->no_code)
		return error_create(ERROR_USAGE,
				    "column %zu: '$g': the program is not "
				    "being run",
				    node->column);
	if (!go->has_slot)
		return error_create(ERROR_USAGE,
				    "column %zu: '$g': where the Go runtime "
				    "keeps it cannot be told; build the "
				    "program with its symbols",
				    node->column);
	out->type = type_unsigned_long;
	emit(binder, CODE_GOROUTINE, node, out->type)->go = go;
	return NULL;
}

struct error *goroutine_evaluate(const struct instruction *at,
				 const struct expr_input *input,
				 union number *out)
{
	struct goroutine goroutine;

	if (!goroutine_read(at->go, &input->reader, &goroutine))
		return error_create(ERROR_EVALUATE,
				    "column %zu: '$g' cannot be read",
				    at->node->column);
	out->u = goroutine.id;
	return NULL;
}
