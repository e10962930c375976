/*
 * pprof.c - a profile for pprof: the messages of pprof.proto, compressed
 *
 * The parts of a message may stand in any order, and messages in a row are one
 * whose lists go on. So each string, function, location and sample is written
 * as a message of its own as soon as it is known, and nothing is kept but the
 * numbers by which others refer to it.
 */
#include <math.h>
#include <pprof.pb-c.h>
#include <stdlib.h>
#include <string.h>

#include "gzip_sink.h"
#include "perftool/base/alloc.h"
#include "perftool/base/hash.h"
#include "profile_functions.h"
#include "profile_names.h"
#include "profile_writers.h"
#include "report/figures/figures.h"
#include "weight_columns.h"

/* A location: the inlined calls at an address, and the function. */
struct pprof_location {
	uint32_t stack;       /* one that has it, */
	size_t frame, frames; /* from this frame on */
};

struct pprof {
	const struct profile *profile;
	const struct call_stacks *stacks;
	struct gzip_sink gzip;
	struct strmap strings;  /* the index; the empty one is not in it */
	struct strmap mappings; /* the id, by the module's name */
	VEC(struct pprof_location) locations; /* the id is the index plus 2 */
	struct map location_hash;
	struct weight_columns columns;
};

/* The ids of the function and the location that stand for frames that could not
 * be found; and of a procedure. */
#define BROKEN_ID 1

static uint64_t function_id(uint32_t procedure)
{
	return (uint64_t)procedure + BROKEN_ID + 1;
}

/* ---- messages -------------------------------------------------------------
 */

static void put(struct pprof *pprof, const Pprof__Profile *part)
{
	size_t size = pprof__profile__get_packed_size(part);
	uint8_t *bytes = xmalloc(size);

	pprof__profile__pack(part, bytes);
	gzip_sink_put(&pprof->gzip, bytes, size);
	free(bytes);
}

static void put_string(struct pprof *pprof, const char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	char *list[] = {(char *)text};

	part.n_string_table = 1;
	part.string_table = list;
	put(pprof, &part);
}

/* Return the index of a clean text, which is written if it is new. */
static int64_t string_index(struct pprof *pprof, const char *text)
{
	uintptr_t index;

	if (!*text)
		return 0;
	index = (uintptr_t)strmap_get(&pprof->strings, text);
	if (!index) {
		index = pprof->strings.count + 1;
		strmap_set(&pprof->strings, text, (void *)index);
		put_string(pprof, text);
	}
	return (int64_t)index;
}

/* The same for a text that is not clean; NULL is the empty one. */
static int64_t name_index(struct pprof *pprof, const char *name)
{
	struct str clean = {0};
	int64_t index;

	if (!name || !*name)
		return 0;
	clean_name(name, &clean);
	index = string_index(pprof, str_text(&clean));
	str_deinit(&clean);
	return index;
}

/* ---- what was measured ----------------------------------------------------
 */

/* Does the profile have waits, so that its time is not that on CPUs only? */
static bool has_waits(const struct call_stacks *stacks)
{
	for (size_t i = 0; i < stacks->procedures.list.count; i++) {
		if (stacks->procedures.list.data[i].is_wait)
			return true;
	}
	return false;
}

static Pprof__ValueType value_type(struct pprof *pprof, const char *type,
				   const char *unit)
{
	Pprof__ValueType value = PPROF__VALUE_TYPE__INIT;

	value.type = string_index(pprof, type);
	value.unit = string_index(pprof, unit);
	return value;
}

static void put_head(struct pprof *pprof)
{
	const struct profile_measurement *measurement =
		&pprof->profile->measurement;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__ValueType types[SAMPLE_REASONS + 1], time;
	Pprof__ValueType *list[SAMPLE_REASONS + 1];
	bool has_time = pprof->columns.ns > 0;
	size_t count = 0;

	if (has_time)
		types[count++] = value_type(pprof, "ticks", "count");
	for (size_t i = 0; !has_time && i < pprof->columns.count; i++)
		types[count++] =
			value_type(pprof, pprof->columns.list[i].name, "count");
	if (has_time) {
		time = value_type(pprof,
				  has_waits(pprof->stacks) ? "wall" : "cpu",
				  "nanoseconds");
		types[count++] = time;
		part.period_type = &time;
		part.period = llround(pprof->columns.ns);
		part.default_sample_type = time.type;
	}
	for (size_t i = 0; i < count; i++)
		list[i] = &types[i];
	part.n_sample_type = count;
	part.sample_type = list;
	part.time_nanos = (int64_t)measurement->began;
	part.duration_nanos = (int64_t)measurement->elapsed;
	put(pprof, &part);
}

/* ---- modules and functions ------------------------------------------------
 */

static uint64_t put_mapping(struct pprof *pprof, const char *name,
			    const struct profile_module *module)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *list[] = {&mapping};

	mapping.id = pprof->mappings.count + 1;
	mapping.filename =
		name_index(pprof, module && module->path ? module->path : name);
	mapping.has_functions = mapping.has_filenames = true;
	mapping.has_line_numbers = mapping.has_inline_frames = true;
	if (module) {
		mapping.build_id = name_index(pprof, module->build_id);
		mapping.memory_start = module->code_begin;
		mapping.memory_limit = module->code_end;
		mapping.file_offset = module->code_offset;
	}
	part.n_mapping = 1;
	part.mapping = list;
	put(pprof, &part);
	strmap_set(&pprof->mappings, name, (void *)(uintptr_t)mapping.id);
	return mapping.id;
}

/* Return the id of a module's mapping, which is written if it is new; 0 of no
 * module. */
static uint64_t mapping_id(struct pprof *pprof, const char *name)
{
	uint64_t id;

	if (!name || !*name)
		return 0;
	id = (uintptr_t)strmap_get(&pprof->mappings, name);
	return id ? id
		  : put_mapping(pprof, name,
				profile_module_of_name(pprof->profile, name));
}

/* pprof takes the first mapping for the program's. */
static void put_program(struct pprof *pprof)
{
	for (size_t i = 0; i < pprof->profile->module_count; i++) {
		if (pprof->profile->modules[i].is_program) {
			mapping_id(pprof, pprof->profile->modules[i].name);
			return;
		}
	}
}

static void put_function(struct pprof *pprof, uint64_t id, const char *name,
			 const char *file, uint32_t line)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function function = PPROF__FUNCTION__INIT, *list[] = {&function};
	struct str clean = {0};

	clean_name(name, &clean);
	function.id = id;
	function.name = string_index(pprof, str_text(&clean));
	function.system_name = function.name;
	function.filename = name_index(pprof, file);
	function.start_line = file ? line : 0;
	part.n_function = 1;
	part.function = list;
	put(pprof, &part);
	str_deinit(&clean);
}

/* The procedures of the stacks. Function 1 stands for the frames that could not
 * be found. */
static void put_functions(struct pprof *pprof)
{
	put_function(pprof, BROKEN_ID, BROKEN_FRAME, NULL, 0);
	for (size_t i = 0; i < pprof->stacks->procedures.list.count; i++) {
		const struct procedure *at =
			&pprof->stacks->procedures.list.data[i];

		put_function(pprof, function_id((uint32_t)i), at->name,
			     at->file, at->line);
	}
}

/* ---- locations ------------------------------------------------------------
 */

/* How many frames, from this one on, are one location. */
static size_t frames_of_location(const struct pprof *pprof,
				 const struct call_stack *stack, size_t frame)
{
	size_t end = frame;

	while (end + 1 < stack->depth &&
	       pprof->stacks->places.data[stack->places[end]].is_inlined)
		end++;
	return end + 1 - frame;
}

static void put_location(struct pprof *pprof, uint64_t id,
			 const uint32_t *places, size_t frames)
{
	const struct call_place *first = &pprof->stacks->places.data[places[0]];
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Location location = PPROF__LOCATION__INIT, *list[] = {&location};
	Pprof__Line *lines = xcalloc(frames, sizeof(*lines));
	Pprof__Line **line_list = xcalloc(frames, sizeof(*line_list));

	for (size_t i = 0; i < frames; i++) {
		const struct call_place *place =
			&pprof->stacks->places.data[places[i]];

		pprof__line__init(&lines[i]);
		lines[i].function_id = function_id(place->procedure);
		lines[i].line = place->file ? place->line : 0;
		line_list[i] = &lines[i];
	}
	location.id = id;
	location.mapping_id = mapping_id(
		pprof,
		pprof->stacks->procedures.list.data[first->procedure].module);
	location.address = first->address;
	location.n_line = frames;
	location.line = line_list;
	part.n_location = 1;
	part.location = list;
	put(pprof, &part);
	free(lines);
	free(line_list);
}

static const uint32_t *location_places(const struct pprof *pprof,
				       const struct pprof_location *location)
{
	return pprof->stacks->stacks.data[location->stack].places +
	       location->frame;
}

/* Return the id of a location, which is written if it is new. */
static uint64_t location_id(struct pprof *pprof,
			    const struct pprof_location *location)
{
	const uint32_t *places = location_places(pprof, location);
	size_t size = location->frames * sizeof(*places);
	uint64_t hash = hash_bytes(HASH_START, places, size), id;

	/* other locations of the same hash have the next keys */
	for (; (id = map_get_number(&pprof->location_hash, hash)); hash++) {
		const struct pprof_location *known =
			&pprof->locations.data[id - BROKEN_ID - 1];

		if (known->frames == location->frames &&
		    memcmp(location_places(pprof, known), places, size) == 0)
			return id;
	}
	vec_push(&pprof->locations, *location);
	id = pprof->locations.count + BROKEN_ID;
	map_set_number(&pprof->location_hash, hash, id);
	put_location(pprof, id, places, location->frames);
	return id;
}

static void put_broken_location(struct pprof *pprof)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Location location = PPROF__LOCATION__INIT, *list[] = {&location};
	Pprof__Line line = PPROF__LINE__INIT, *lines[] = {&line};

	line.function_id = BROKEN_ID;
	location.id = BROKEN_ID;
	location.n_line = 1;
	location.line = lines;
	part.n_location = 1;
	part.location = list;
	put(pprof, &part);
}

/* ---- samples --------------------------------------------------------------
 */

VEC_STRUCT(location_ids, uint64_t);

static void locate_stack(struct pprof *pprof, uint32_t number,
			 struct location_ids *ids)
{
	const struct call_stack *stack = &pprof->stacks->stacks.data[number];
	struct pprof_location at = {.stack = number};

	vec_clear(ids);
	for (; at.frame < stack->depth; at.frame += at.frames) {
		at.frames = frames_of_location(pprof, stack, at.frame);
		vec_push(ids, location_id(pprof, &at));
	}
	if (stack->is_broken)
		vec_push(ids, BROKEN_ID);
}

static void put_sample(struct pprof *pprof, const struct call_sample *sample,
		       struct location_ids *ids)
{
	const struct sampled_thread *thread =
		&pprof->stacks->threads.data[sample->thread];
	CLEANUP(free_pointer) char *name = thread_name(thread, clean_name);
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample message = PPROF__SAMPLE__INIT, *list[] = {&message};
	Pprof__Label labels[3] = {PPROF__LABEL__INIT, PPROF__LABEL__INIT,
				  PPROF__LABEL__INIT};
	Pprof__Label *label_list[] = {&labels[0], &labels[1], &labels[2]};
	int64_t values[SAMPLE_REASONS + 1] = {0};

	locate_stack(pprof, sample->stack, ids);
	if (pprof->columns.ns > 0) {
		values[0] = (int64_t)sample->weight;
		values[1] =
			(int64_t)weight_cost(&pprof->columns, sample->weight);
		message.n_value = 2;
	} else {
		values[pprof->columns.of[sample->reason]] =
			(int64_t)sample->weight;
		message.n_value = pprof->columns.count;
	}
	labels[0].key = string_index(pprof, "thread");
	labels[0].str = string_index(pprof, name);
	labels[1].key = string_index(pprof, "tid");
	labels[1].num = thread->tid;
	labels[2].key = string_index(pprof, "pid");
	labels[2].num = thread->pid;
	message.n_location_id = ids->count;
	message.location_id = ids->data;
	message.value = values;
	message.n_label = 3;
	message.label = label_list;
	part.n_sample = 1;
	part.sample = list;
	put(pprof, &part);
}

void write_pprof(const struct profile *profile, struct profile_sink *sink)
{
	struct pprof pprof = {.profile = profile, .stacks = profile->stacks};
	struct location_ids ids = {0};

	weight_columns_init(&pprof.columns, profile);
	gzip_sink_begin(&pprof.gzip, sink);
	put_string(&pprof, "");
	put_head(&pprof);
	put_program(&pprof);
	put_functions(&pprof);
	put_broken_location(&pprof);
	for (size_t i = 0;
	     i < pprof.stacks->samples.count && profile_sink_pass(sink); i++)
		put_sample(&pprof, &pprof.stacks->samples.data[i], &ids);
	gzip_sink_end(&pprof.gzip);
	vec_free(&ids);
	vec_free(&pprof.locations);
	map_deinit(&pprof.location_hash);
	strmap_deinit(&pprof.strings);
	strmap_deinit(&pprof.mappings);
}
