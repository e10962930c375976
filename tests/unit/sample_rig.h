/*
 * sample_rig.h - a sampler for the tests, with a host that finds modules in
 * /proc/PID/maps
 *
 * Included after target_rig.h.
 */
#ifndef SAMPLE_RIG_H
#define SAMPLE_RIG_H

#include "perftool/base/alloc.h"
#include "perftool/sample.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/target_events.h"

struct rig_module {
	char *path;
	struct debugfile *file;
};

struct sample_rig {
	struct rig rig;
	struct process *process;
	struct sampler *sampler;
	struct mapping_list maps;
	pid_t maps_of; /* the process that has them; 0: they are not known */
	uint64_t generation;
	VEC(struct rig_module) modules;
	struct sampled_frame_list frames;
};

static inline uint32_t rig_number(struct sample_rig *rig, const char *path)
{
	struct rig_module module = {.path = NULL};

	for (size_t i = 0; i < rig->modules.count; i++)
		if (strcmp(rig->modules.data[i].path, path) == 0)
			return (uint32_t)i + 1;
	module.path = xstrdup(path);
	error_destroy(debugfile_open(path, &module.file));
	vec_push(&rig->modules, module);
	return (uint32_t)rig->modules.count;
}

/* Read the mappings of the process. It may have ended before its ticks were
 * read: a forked process then has those that its parent had. */
static inline void rig_read_maps(struct sample_rig *rig,
				 struct process *process)
{
	struct mapping_list maps = {0};
	struct error *error = target_read_maps(process->pid, &maps);

	if (error || !maps.count) {
		mapping_list_deinit(&maps);
	} else {
		mapping_list_deinit(&rig->maps);
		rig->maps = maps;
	}
	error_destroy(error);
	rig->maps_of = process->pid;
}

/* Find the mapping of an address. */
static inline bool rig_has_mapping(struct sample_rig *rig,
				   struct process *process, uint64_t address,
				   size_t *out)
{
	/* perhaps the run-time linker has mapped a library meanwhile */
	for (int tries = 0; tries < 2; tries++) {
		if (tries || rig->maps_of != process->pid)
			rig_read_maps(rig, process);
		*out = mapping_list_above(&rig->maps, address);
		if (*out < rig->maps.count &&
		    address >= rig->maps.data[*out].low)
			return true;
	}
	return false;
}

static inline bool rig_find_module(void *context, struct process *process,
				   uint64_t address, struct sampled_module *out)
{
	struct sample_rig *rig = context;
	const struct mapping *map;
	uint64_t first = 0;
	size_t i;

	if (!rig_has_mapping(rig, process, address, &i))
		return false;
	map = &rig->maps.data[i];
	if (map->path[0] != '/' || !map->executable)
		return false;
	for (size_t k = 0; k < rig->maps.count && !first; k++)
		if (strcmp(rig->maps.data[k].path, map->path) == 0)
			first = rig->maps.data[k].low;
	out->number = rig_number(rig, map->path);
	out->file = rig->modules.data[out->number - 1].file;
	out->bias = first;
	out->begin = map->low;
	out->end = map->high;
	/* a program that is not position-independent is where its file says */
	if (first < 0x10000000)
		out->bias = 0;
	return true;
}

static inline uint64_t rig_generation(void *context, struct process *process)
{
	struct sample_rig *rig = context;

	(void)process;
	return rig->generation;
}

static inline void rig_modules_changed(struct sample_rig *rig)
{
	rig->maps_of = 0;
	rig->generation++;
}

/* Start a subject, stop it once it is ready, and make a sampler for it. */
static inline void sample_rig_start(struct sample_rig *rig, subject_fn *subject)
{
	struct sampler_host host = {.context = rig,
				    .find_module = rig_find_module,
				    .generation = rig_generation};

	memset(rig, 0, sizeof(*rig));
	rig->generation = 1;
	rig->process = rig_attach(&rig->rig, subject, rig_is_ready);
	rig->sampler = sampler_create(rig->rig.target, &rig->rig.clock, &host);
}

static inline void sample_rig_end(struct sample_rig *rig)
{
	sampler_destroy(rig->sampler);
	rig_end(&rig->rig);
	mapping_list_deinit(&rig->maps);
	for (size_t i = 0; i < rig->modules.count; i++) {
		free(rig->modules.data[i].path);
		debugfile_close(rig->modules.data[i].file);
	}
	vec_free(&rig->modules);
	vec_free(&rig->frames);
}

/* The run-time address of a frame. */
static inline uint64_t rig_address(struct sample_rig *rig,
				   const struct sampled_frame *frame)
{
	const char *path;
	uint64_t first = 0;

	if (!frame->module)
		return frame->address;
	path = rig->modules.data[frame->module - 1].path;
	for (size_t k = 0; k < rig->maps.count && !first; k++)
		if (strcmp(rig->maps.data[k].path, path) == 0)
			first = rig->maps.data[k].low;
	return frame->address + (first < 0x10000000 ? 0 : first);
}

/* The name of the function of a frame, or "?". */
static inline const char *rig_name(struct sample_rig *rig,
				   const struct sampled_frame *frame)
{
	struct function function;

	return frame->module && rig->modules.data[frame->module - 1].file &&
			       debugfile_function_at(
				       rig->modules.data[frame->module - 1]
					       .file,
				       frame->address - !frame->is_exact,
				       &function) &&
			       function.name
		       ? function.name
		       : "?";
}

/* Unwind the stack of a stopped thread into rig->frames. */
static inline bool rig_unwind(struct sample_rig *rig, struct thread *thread)
{
	struct user_regs_struct regs;
	bool is_broken;

	vec_clear(&rig->frames);
	assert_ok(target_get_regs(thread, &regs));
	sampler_unwind(rig->sampler, rig->process, &regs, &rig->frames,
		       &is_broken);
	return !is_broken;
}

/* ---- running ----------------------------------------------------------- */

/* Drain the sampler as a session does, while the threads run, until
 * `is_enough`; false: it was not enough within a minute. The threads are
 * stopped afterwards. */
static inline bool rig_run_on(struct sample_rig *rig,
			      bool (*is_enough)(struct sample_rig *rig))
{
	struct rig_patience patience = rig_patience(60);
	struct target *target = rig->rig.target;
	bool enough = false, stopping = false;
	struct event event;

	for (;;) {
		assert_ok(target_wait(target, &event));
		switch (event.kind) {
		case EVENT_SIGNAL:
		case EVENT_TRAP:
			assert_ok(target_deliver(event.thread, event.signal,
						 NULL));
			break;
		case EVENT_THREAD_NEW:
			sampler_thread_came(rig->sampler, event.thread);
			assert_ok(target_resume(event.thread));
			assert_ok(target_resume(event.parent));
			break;
		case EVENT_FORK:
			sampler_process_changed(rig->sampler, event.process);
			assert_ok(target_resume(event.thread));
			assert_ok(target_resume(event.parent));
			break;
		case EVENT_EXEC:
			rig_modules_changed(rig);
			sampler_process_changed(rig->sampler, event.process);
			assert_ok(target_resume(event.thread));
			break;
		case EVENT_THREAD_GONE:
			sampler_thread_goes(rig->sampler, event.thread);
			break;
		case EVENT_PROCESS_GONE:
			sampler_process_goes(rig->sampler, event.process);
			break;
		case EVENT_ALL_STOPPED:
		case EVENT_EMPTY:
			sampler_drain(rig->sampler);
			return enough;
		default:
			break;
		}
		sampler_drain(rig->sampler);
		enough |= is_enough(rig);
		if (!stopping && (enough || rig_patience_ends(&patience))) {
			assert_ok(target_stop_all(target));
			stopping = true;
		}
	}
}

/* The same for threads that are stopped. */
static inline bool rig_run(struct sample_rig *rig,
			   bool (*is_enough)(struct sample_rig *rig))
{
	assert_ok(target_resume_all(rig->rig.target));
	return rig_run_on(rig, is_enough);
}

static inline size_t rig_count_name(struct sample_rig *rig, const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < rig->frames.count; i++)
		count += strcmp(rig_name(rig, &rig->frames.data[i]), name) == 0;
	return count;
}

static inline void rig_print(struct sample_rig *rig)
{
	for (size_t i = 0; i < rig->frames.count && i < 60; i++)
		print_message("# %zu %#lx %s\n", i,
			      rig_address(rig, &rig->frames.data[i]),
			      rig_name(rig, &rig->frames.data[i]));
}

#endif
