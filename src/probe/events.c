/*
 * events.c - the life of the process that is measured: its start, its forks,
 * its exec, its end
 *
 * Children are left clean and untraced: a fork's child gets its original bytes
 * back and is let go; a vfork's child borrows the memory of its parent, so it
 * stays traced (its hits are resumed and count nowhere) until it has memory of
 * its own.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "perftool/base/alloc.h"

#define FIRST_PAIRS 64

/* The function the run-time linker calls when libraries come and go, for
 * debuggers to put a breakpoint there (link.h, r_brk). */
static struct error *watch_libraries(struct probe *probe, struct space *space,
				     struct thread *thread)
{
	for (size_t i = 0; i < space->modules.count; i++) {
		struct module *module = space->modules.data[i];
		struct debugfile *file = module_file(module);
		struct function_list found = {0};
		struct site *site = NULL;
		struct error *error;

		if (!file)
			continue;
		error = debugfile_find_functions(file, "_dl_debug_state",
						 &found);
		if (!error && found.count)
			error = site_get(probe, space, thread,
					 found.data[0].address + module->bias,
					 &site);
		vec_free(&found);
		if (error)
			return error;
		if (site && site->has_slot) {
			site->purpose = SITE_LIBRARIES;
			space->has_linker = true;
			return site_update(space, site);
		}
	}
	return NULL;
}

/* Slots are reserved now, while the program cannot forbid it yet. */
static struct error *reserve_slots(struct space *space, struct thread *thread)
{
	for (size_t i = 0; i < space->modules.count; i++) {
		const struct module *module = space->modules.data[i];
		struct area *area;

		TRY(space_find_area(space, thread, module->low, module->high,
				    16, &area));
	}
	return NULL;
}

struct error *probe_adopt(struct probe *probe, struct process *process)
{
	struct thread *thread = process->threads.data[0];
	struct space *space;
	struct error *error;
	uint64_t pc;

	forget_places(probe);
	space_destroy(probe->space);
	probe->space = space = space_create(process);
	probe->unpinnable = false;
	calibrate_invalidate(probe);
	TRY(space_read_modules(probe, space));
	if (!space->modules.count)
		return error_create(ERROR_BAD_FILE,
				    "the program's file cannot be read");
	space->foreign =
		probe->program &&
		!str_equal(space->modules.data[0]->path, probe->program->path);
	error = reserve_slots(space, thread);
	if (!error)
		error = calibrate_prepare(probe, space, thread);
	if (error) {
		error = error_prefix(error, "no out-of-line slots");
		probe->ops.note(probe->ops.context, error_message(error));
		error_destroy(error);
	}
	TRY(watch_libraries(probe, space, thread));
	TRY(resolve_new_modules(probe));
	if (!space->calibrate_from)
		return NULL;
	placement_calibrate(probe, process, true);
	TRY(target_get_reg(thread, offsetof(struct user_regs_struct, rip),
			   &pc));
	return calibrate_begin(probe, thread, pc, 0, FIRST_PAIRS);
}

/* A child of fork or vfork: not measured. */
static struct error *on_fork(struct probe *probe, const struct event *event)
{
	struct space *space = event->parent->process->owner;
	struct process *child = event->process;

	target_unpin_child(child);
	if (!child->shares_memory) {
		if (space) {
			child->owner = space;
			TRY(prepare_signal(probe, event->thread, 0));
			TRY(space_write_originals(space, child));
		}
		target_detach(child);
	} else {
		child->owner = space;
		TRY(target_resume(event->thread));
	}
	return target_resume(event->parent);
}

static void forget_thread(struct probe *probe, const struct thread *thread)
{
	if (probe->calibration.thread == thread)
		probe->calibration.thread = NULL;
	if (probe->stepping.thread == thread)
		probe->stepping.thread = NULL;
	forget_interrupted(probe, thread);
}

static void forget_threads(struct probe *probe)
{
	probe->calibration.thread = NULL;
	probe->stepping.thread = NULL;
	vec_clear(&probe->interrupted);
}

static struct error *on_exec(struct probe *probe, const struct event *event)
{
	struct error *error;

	if (!probe->space || event->process != probe->space->process) {
		target_detach(event->process);
		return NULL;
	}
	/* the memory is another: nobody finishes anything in the old one */
	forget_threads(probe);
	probe->ops.exec(probe->ops.context, event->process);
	error = probe_adopt(probe, event->process);
	if (!error || error_code(error) == ERROR_GONE)
		return error;
	/* the program goes on, if not measured */
	error = error_prefix(error, "after exec");
	probe->ops.note(probe->ops.context, error_message(error));
	error_destroy(error);
	return target_resume(event->thread);
}

/* Children of a vfork outlive their parent: the memory is theirs now. */
static void let_orphans_go(struct probe *probe, struct space *space)
{
	struct process *process;

	for (size_t i = 0; (process = target_process_at(probe->target, i));) {
		if (process->owner != space || process == space->process) {
			i++;
			continue;
		}
		/* it may be ending itself, which is as well */
		error_destroy(space_write_originals(space, process));
		target_let_go(process);
	}
}

static void on_end(struct probe *probe, const struct event *event,
		   struct probe_outcome *outcome)
{
	if (!probe->space || event->process != probe->space->process)
		return;
	let_orphans_go(probe, probe->space);
	/* its modules stay: names and places are asked for afterwards too */
	probe->space->process = NULL;
	forget_threads(probe);
	placement_end(probe);
	outcome->action = PROBE_END;
}

struct error *probe_handle(struct probe *probe, const struct event *event,
			   struct probe_outcome *outcome)
{
	*outcome = (struct probe_outcome){.action = PROBE_HANDLED};
	report_finished(probe);
	switch (event->kind) {
	case EVENT_NONE:
	case EVENT_EMPTY:
		return NULL;
	case EVENT_TRAP:
		return handle_trap(probe, event, outcome);
	case EVENT_SIGNAL:
		outcome->action = PROBE_SIGNAL;
		return prepare_signal(probe, event->thread, event->signal);
	case EVENT_THREAD_NEW:
		if (probe->space && event->process == probe->space->process)
			placement_new_thread(probe, event->process);
		TRY(target_resume(event->thread));
		return target_resume(event->parent);
	case EVENT_FORK:
		return on_fork(probe, event);
	case EVENT_EXEC:
		return on_exec(probe, event);
	case EVENT_THREAD_GONE:
		forget_thread(probe, event->thread);
		return NULL;
	case EVENT_PROCESS_GONE:
		on_end(probe, event, outcome);
		return NULL;
	case EVENT_ALL_STOPPED:
		outcome->action = PROBE_STOPPED;
		TRY(calibrate_stopped(probe));
		TRY(finish_step(probe));
		placement_stopped(probe);
		return NULL;
	}
	return NULL;
}

struct error *probe_get_regs(struct probe *probe, struct thread *thread,
			     struct user_regs_struct *regs)
{
	struct site *site;

	TRY(target_get_regs(thread, regs));
	if (!probe->space)
		return NULL;
	site = space_slot_at(probe->space, regs->rip);
	if (site)
		arch_slot_pc(&site->slot, regs);
	return NULL;
}

const struct module *probe_module_at(struct probe *probe,
				     struct process *process, uint64_t address)
{
	(void)process;
	return probe->space ? space_module_at(probe->space, address) : NULL;
}

void probe_set_filtering(struct probe *probe, bool on)
{
	probe->filtering = on;
}
