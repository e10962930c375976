/* procedure_labels.c - see procedure_labels.h */
#include "procedure_labels.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "report/figures/figures.h"
#include "report/text/text.h"

static void count_key(struct strmap *map, const char *key)
{
	uintptr_t count = (uintptr_t)strmap_get(map, key) + 1;

	strmap_set(map, key, (void *)count);
}

static bool is_shared(const struct strmap *map, const char *key)
{
	return (uintptr_t)strmap_get(map, key) > 1;
}

static char *with_module(const struct procedure *procedure)
{
	return xasprintf("%s@%s", procedure->name, procedure->module);
}

void procedure_labels_init(struct procedure_labels *labels,
			   const struct procedures *procedures)
{
	*labels = (struct procedure_labels){.procedures = procedures};
	for (size_t i = 0; i < procedures->list.count; i++)
		count_key(&labels->names, procedures->list.data[i].name);
	for (size_t i = 0; i < procedures->list.count; i++) {
		const struct procedure *procedure = &procedures->list.data[i];
		char *key;

		if (!is_shared(&labels->names, procedure->name))
			continue;
		key = with_module(procedure);
		count_key(&labels->modules, key);
		free(key);
	}
}

void procedure_labels_deinit(struct procedure_labels *labels)
{
	strmap_deinit(&labels->names);
	strmap_deinit(&labels->modules);
}

static char *whole_label(const struct procedure_labels *labels,
			 const struct procedure *procedure)
{
	char *text, *longer;

	if (!is_shared(&labels->names, procedure->name) || !*procedure->module)
		return xstrdup(procedure->name);
	text = with_module(procedure);
	if (!is_shared(&labels->modules, text) || !procedure->file)
		return text;
	longer = xasprintf("%s:%s", path_file_name(procedure->file), text);
	free(text);
	return longer;
}

char *procedure_label(const struct procedure_labels *labels, uint32_t number)
{
	struct str label = {0};
	char *whole;

	if (number == NO_PROCEDURE)
		return xstrdup("<unknown>");
	whole = whole_label(labels, &labels->procedures->list.data[number]);
	printable(whole, &label);
	free(whole);
	return label.length ? str_take(&label) : xstrdup("");
}

bool label_append(const char *label, size_t width, struct str *out)
{
	if (!width || text_width(label) <= width) {
		str_append(out, label);
		return false;
	}
	printable_cut(label, width, out);
	return true;
}

void labels_cut_note(const struct report_options *options, struct str *out)
{
	str_printf(out,
		   "(The terminal is too narrow for whole names; add `%s' to "
		   "have them.)\n",
		   options->all_columns_by ? options->all_columns_by
					   : "> FILE");
}
