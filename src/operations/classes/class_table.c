/*
 * class_table.c - see class_table.h
 */
#include "classes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

static const char *const type_names[] = {"NORMAL", "SYSTEM", "IO", "SYSTEM_IO"};

const char *class_type_name(enum class_type type)
{
	return type_names[type];
}

bool class_type_parse(const char *word, enum class_type *out)
{
	for (size_t i = 0; i < sizeof(type_names) / sizeof(*type_names); i++) {
		if (strcasecmp(word, type_names[i]) != 0)
			continue;
		*out = (enum class_type)i;
		return true;
	}
	return false;
}

static void push(struct class_table *table, const char *name, bool is_package,
		 enum class_type type, bool is_builtin)
{
	vec_push(&table->list, (struct class_entry){.name = xstrdup(name),
						    .is_package = is_package,
						    .is_builtin = is_builtin,
						    .type = type});
}

void class_table_init(struct class_table *table)
{
	*table = (struct class_table){0};
	/* The dynamic linker, and the code that the kernel maps. */
	push(table, "ld-linux", true, CLASS_SYSTEM, true);
	push(table, "[vdso]", false, CLASS_SYSTEM, true);
	push(table, "linux-vdso.so.1", false, CLASS_SYSTEM, true);
}

static void remove_at(struct class_table *table, size_t index)
{
	struct class_entry *entry = &table->list.data[index];

	free(entry->name);
	holders_deinit(&entry->holders);
	vec_remove(&table->list, index);
}

void class_table_deinit(struct class_table *table)
{
	while (table->list.count)
		remove_at(table, table->list.count - 1);
	vec_free(&table->list);
}

/* How specific a match of the entry is; 0: it does not match. */
static size_t rank(const struct class_entry *entry,
		   const struct class_names *names)
{
	const char *const all[] = {names->source, names->source_path,
				   names->module, names->module_path};
	const size_t of_class[] = {SIZE_MAX, SIZE_MAX, SIZE_MAX - 1,
				   SIZE_MAX - 1};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!all[i])
			continue;
		if (!entry->is_package && str_equal(entry->name, all[i]))
			return of_class[i];
		if (entry->is_package && str_starts(all[i], entry->name))
			return strlen(entry->name) + 1;
	}
	return 0;
}

enum class_type class_table_type(const struct class_table *table,
				 const struct class_names *names)
{
	enum class_type type = CLASS_NORMAL;
	size_t best = 0;

	for (size_t i = 0; i < table->list.count; i++) {
		const struct class_entry *entry = &table->list.data[i];
		size_t this = rank(entry, names);

		if (this <= best)
			continue;
		best = this;
		type = entry->type;
	}
	return type;
}

void class_table_set(struct class_table *table, const char *name,
		     bool is_package, enum class_type type, uint32_t owner)
{
	struct class_entry *entry;

	for (size_t i = table->list.count; i-- > 0;) {
		entry = &table->list.data[i];
		if (is_package ? str_starts(entry->name, name)
			       : !entry->is_package &&
					 str_equal(entry->name, name))
			remove_at(table, i);
	}
	push(table, name, is_package, type, false);
	entry = &table->list.data[table->list.count - 1];
	holders_add(&entry->holders, owner);
}

void class_table_clear(struct class_table *table, unsigned bits)
{
	struct class_table fresh;

	for (size_t i = table->list.count; i-- > 0;)
		if (!bits || (table->list.data[i].type & bits))
			remove_at(table, i);
	/* What is built in may have been removed or replaced. It comes back
	 * behind the settings that are left, which win where they are as
	 * specific. */
	for (size_t i = table->list.count; i-- > 0;)
		if (table->list.data[i].is_builtin)
			remove_at(table, i);
	class_table_init(&fresh);
	for (size_t i = 0; i < fresh.list.count; i++)
		vec_push(&table->list, fresh.list.data[i]);
	vec_free(&fresh.list);
}

void class_table_forget(struct class_table *table, uint32_t owner)
{
	for (size_t i = table->list.count; i-- > 0;)
		if (holders_drop(&table->list.data[i].holders, owner))
			remove_at(table, i);
}
