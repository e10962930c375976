/* flame_colors.c - see flame_colors.h */
#include "flame_colors.h"

#include <stdlib.h>
#include <string.h>

static const char *const classes[] = {"m0", "m1", "m2", "m3",
				      "m4", "m5", "m6", "m7"};
#define CLASSES (sizeof(classes) / sizeof(*classes))

struct module_weight {
	const char *name;
	uint64_t weight;
};

VEC_STRUCT(module_weights, struct module_weight);

static int compare_modules(const void *a_, const void *b_)
{
	const struct module_weight *a = a_, *b = b_;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return strcmp(a->name, b->name);
}

static const char *module_of(const struct procedure *procedure)
{
	return procedure->module ? procedure->module : "";
}

/* Add up the weights of each module's procedures. Returns whether there
 * are waits. */
static bool add_up(const struct procedures *procedures, const uint64_t *own,
		   struct module_weights *modules)
{
	struct strmap numbers = {0};
	bool any_wait = false;

	for (size_t i = 0; i < procedures->list.count; i++) {
		const struct procedure *at = &procedures->list.data[i];
		const char *name = module_of(at);
		uintptr_t number;

		any_wait |= at->is_wait;
		if (at->is_wait || !*name)
			continue;
		number = (uintptr_t)strmap_get(&numbers, name);
		if (!number) {
			vec_push(modules, (struct module_weight){.name = name});
			number = modules->count;
			strmap_set(&numbers, name, (void *)number);
		}
		modules->data[number - 1].weight += own[i];
	}
	strmap_deinit(&numbers);
	return any_wait;
}

void flame_colors_init(struct flame_colors *colors,
		       const struct procedures *procedures, const uint64_t *own)
{
	struct module_weights modules = {0};
	bool any_wait = add_up(procedures, own, &modules);
	size_t colored;

	*colors = (struct flame_colors){.legend = {0}};
	if (modules.count)
		qsort(modules.data, modules.count, sizeof(*modules.data),
		      compare_modules);
	colored = modules.count < CLASSES ? modules.count : CLASSES;
	for (size_t i = 0; i < colored; i++) {
		strmap_set(&colors->class_of_module, modules.data[i].name,
			   (void *)classes[i]);
		vec_push(&colors->legend,
			 (struct flame_legend){modules.data[i].name,
					       classes[i]});
	}
	if (modules.count > colored)
		vec_push(&colors->legend,
			 (struct flame_legend){"other modules", "o"});
	if (any_wait)
		vec_push(&colors->legend,
			 (struct flame_legend){"waiting", "w"});
	vec_free(&modules);
}

void flame_colors_deinit(struct flame_colors *colors)
{
	strmap_deinit(&colors->class_of_module);
	vec_free(&colors->legend);
}

const char *flame_color(const struct flame_colors *colors,
			const struct procedure *procedure)
{
	const char *class;

	if (procedure->is_wait)
		return "w";
	class = strmap_get(&colors->class_of_module, module_of(procedure));
	return class ? class : "o";
}
