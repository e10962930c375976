/*
 * samples.c - see samples.h
 */
#include "samples.h"

#include <inttypes.h>
#include <stdlib.h>

#include "operations/desk.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/document.h"
#include "perftool/session/inventory.h"
#include "perftool/session/ticks.h"

/* A class or a method. `self` counts the ticks whose innermost frame (that is
 * in no system class) is there, `io` those of them that are waiting, `total`
 * the ticks with any frame there. */
struct figures {
	uint64_t self, io, total;
	size_t class;         /* of a method: the index of its class */
	uint32_t of;          /* the number of a procedure: it, or one of it */
	enum class_type type; /* of a class */
	/* the last sample that was added to `total` */
	size_t counted;
};

struct tally {
	const struct call_stacks *stacks;
	struct module_facts_list modules;
	const struct class_table *table;
	VEC(struct figures) classes;
	struct strmap by_name;   /* index of a class, plus 1 */
	struct figures *methods; /* by the number of the procedure */
	struct map thread_ticks; /* by the index of the thread */
	uint64_t ticks, io;
};

/* Code that is in no file has a name, and is a class of its own. */
static const char *class_of(const struct procedure *procedure)
{
	if (procedure->file)
		return path_file_name(procedure->file);
	return *procedure->module ? procedure->module : procedure->name;
}

static const char *module_path_of(const struct tally *tally, const char *name)
{
	for (size_t i = 0; i < tally->modules.count; i++)
		if (str_equal(tally->modules.data[i].name, name))
			return tally->modules.data[i].path;
	return NULL;
}

/* Gives each procedure its class. */
static void find_classes(struct tally *tally)
{
	const struct procedures *procedures = &tally->stacks->procedures;

	tally->methods =
		xcalloc(procedures->list.count + 1, sizeof(*tally->methods));
	for (size_t i = 0; i < procedures->list.count; i++) {
		const struct procedure *at = &procedures->list.data[i];
		size_t index = (size_t)(uintptr_t)strmap_get(&tally->by_name,
							     class_of(at));

		if (!index) {
			const struct class_names names = {
				.source = at->file ? path_file_name(at->file)
						   : NULL,
				.source_path = at->file,
				.module = at->module,
				.module_path =
					module_path_of(tally, at->module)};

			vec_push(&tally->classes,
				 (struct figures){
					 .of = (uint32_t)i,
					 .type = class_table_type(tally->table,
								  &names)});
			index = tally->classes.count;
			strmap_set(&tally->by_name, class_of(at),
				   (void *)(uintptr_t)index);
		}
		tally->methods[i].class = index - 1;
		tally->methods[i].of = (uint32_t)i;
	}
}

static enum class_type type_of(const struct tally *tally, uint32_t procedure)
{
	return tally->classes.data[tally->methods[procedure].class].type;
}

/* Returns the frame that the sample is charged to: the innermost one that is in
 * no system class, if there is one. `*io`: this frame, or one of those that
 * were left out, is in an I/O class. */
static size_t charged_frame(const struct tally *tally,
			    const struct call_stack *stack, bool *io)
{
	size_t first = call_stack_innermost(tally->stacks, stack);

	*io = false;
	for (size_t i = first; i < stack->depth; i++) {
		enum class_type type = type_of(
			tally, call_stack_procedure(tally->stacks, stack, i));

		*io |= (type & CLASS_IO) != 0;
		if (!(type & CLASS_SYSTEM))
			return i;
	}
	return first;
}

/* Adds the weight to the totals of all frames, each method and class once. */
static void add_totals(struct tally *tally, const struct call_stack *stack,
		       uint64_t weight, size_t serial)
{
	for (size_t i = 0; i < stack->depth; i++) {
		uint32_t number = call_stack_procedure(tally->stacks, stack, i);
		struct figures *method = &tally->methods[number];
		struct figures *class = &tally->classes.data[method->class];

		if (method->counted != serial)
			method->total += weight;
		if (class->counted != serial)
			class->total += weight;
		method->counted = class->counted = serial;
	}
}

static void add_sample(struct tally *tally, const struct call_sample *sample,
		       size_t serial)
{
	const struct call_stack *stack =
		&tally->stacks->stacks.data[sample->stack];
	bool io;
	size_t frame = charged_frame(tally, stack, &io);
	struct figures *method, *class;

	add_totals(tally, stack, sample->weight, serial);
	tally->ticks += sample->weight;
	tally->io += io ? sample->weight : 0;
	map_set_number(
		&tally->thread_ticks, sample->thread + 1,
		map_get_number(&tally->thread_ticks, sample->thread + 1) +
			sample->weight);
	if (frame >= stack->depth)
		return;
	method = &tally->methods[call_stack_procedure(tally->stacks, stack,
						      frame)];
	class = &tally->classes.data[method->class];
	method->self += sample->weight;
	class->self += sample->weight;
	method->io += io ? sample->weight : 0;
	class->io += io ? sample->weight : 0;
}

static void add_number(struct json_object *object, const char *name,
		       uint64_t number)
{
	json_object_object_add(object, name,
			       json_object_new_int64((int64_t)number));
}

static void add_figures(struct json_object *object,
			const struct figures *figures)
{
	add_number(object, "ticks", figures->self);
	add_number(object, "io", figures->io);
	add_number(object, "total", figures->total);
}

static int by_ticks(const void *a, const void *b)
{
	const struct figures *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return x->total < y->total ? 1 : x->total > y->total ? -1 : 0;
}

static struct json_object *method_object(const struct tally *tally,
					 const struct figures *method)
{
	const struct procedure *procedure =
		&tally->stacks->procedures.list.data[method->of];
	struct json_object *one = json_object_new_object();

	json_object_object_add(one, "name", document_text(procedure->name));
	if (procedure->line)
		add_number(one, "line", procedure->line);
	add_figures(one, method);
	return one;
}

static struct json_object *class_object(const struct tally *tally,
					const struct figures *class)
{
	const struct procedures *procedures = &tally->stacks->procedures;
	const struct procedure *first = &procedures->list.data[class->of];
	struct json_object *one = json_object_new_object();
	struct json_object *methods = json_object_new_array();

	json_object_object_add(one, "name", document_text(class_of(first)));
	json_object_object_add(one, "module", document_text(first->module));
	json_object_object_add(
		one, "type",
		json_object_new_string(class_type_name(class->type)));
	add_figures(one, class);
	for (size_t i = 0; i < procedures->list.count; i++) {
		const struct figures *method = &tally->methods[i];

		if (method->total && method->class == class->class)
			json_object_array_add(methods,
					      method_object(tally, method));
	}
	json_object_object_add(one, "method", methods);
	return one;
}

static struct json_object *classes_array(struct tally *tally)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < tally->classes.count; i++)
		tally->classes.data[i].class = i;
	if (tally->classes.count)
		qsort(tally->classes.data, tally->classes.count,
		      sizeof(*tally->classes.data), by_ticks);
	if (tally->stacks->procedures.list.count)
		qsort(tally->methods, tally->stacks->procedures.list.count,
		      sizeof(*tally->methods), by_ticks);
	for (size_t i = 0; i < tally->classes.count; i++)
		if (tally->classes.data[i].total)
			json_object_array_add(
				list,
				class_object(tally, &tally->classes.data[i]));
	return list;
}

static struct json_object *threads_array(const struct tally *tally)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < tally->stacks->threads.count; i++) {
		const struct sampled_thread *thread =
			&tally->stacks->threads.data[i];
		uint64_t ticks = map_get_number(&tally->thread_ticks, i + 1);
		struct json_object *one;

		if (!ticks)
			continue;
		one = json_object_new_object();
		add_number(one, "id", (uint64_t)thread->tid);
		if (thread->name)
			json_object_object_add(one, "name",
					       document_text(thread->name));
		add_number(one, "ticks", ticks);
		json_object_array_add(list, one);
	}
	return list;
}

static struct json_object *tally_object(struct desk *desk, struct tally *tally)
{
	struct json_object *object = json_object_new_object();
	struct ticks_facts facts;

	session_ticks_facts(desk->session, &facts);
	json_object_object_add(object, "rate",
			       json_object_new_double(facts.rate));
	add_number(object, "elapsed_ns", facts.elapsed);
	add_number(object, "ticks", tally->ticks);
	add_number(object, "io", tally->io);
	add_number(object, "missed", facts.missed);
	add_number(object, "lost", facts.lost);
	json_object_object_add(object, "thread", threads_array(tally));
	json_object_object_add(object, "class", classes_array(tally));
	return object;
}

struct json_object *samples_object(struct desk *desk)
{
	struct call_stacks stacks = {0};
	struct tally tally = {.stacks = &stacks, .table = &desk->classes};
	struct json_object *object;

	session_ticks_stacks(desk->session, &stacks);
	session_modules(desk->session, &tally.modules);
	find_classes(&tally);
	for (size_t i = 0; i < stacks.samples.count; i++) {
		const struct call_sample *sample = &stacks.samples.data[i];
		const struct sampled_thread *thread =
			&stacks.threads.data[sample->thread];

		if (session_uses_thread(desk->session, thread->tid))
			add_sample(&tally, sample, i + 1);
	}
	object = tally_object(desk, &tally);
	map_deinit(&tally.thread_ticks);
	strmap_deinit(&tally.by_name);
	vec_free(&tally.classes);
	vec_free(&tally.modules);
	free(tally.methods);
	call_stacks_deinit(&stacks);
	return object;
}
