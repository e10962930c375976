/* legs_grid.c - columns and rows of the leg table */
#include "legs_grid.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "legs_column.h"
#include "report/figures/figures.h"

/* ---- which columns ------------------------------------------------------ */

static void append(struct leg_columns *columns,
		   const struct leg_column_set *set, size_t count)
{
	for (size_t i = 0; i < count && i < set->count; i++)
		vec_push(columns, &set->columns[i]);
}

/* Column `index` of all columns that the user can choose, or NULL after the
 * last one. */
static const struct leg_column *column_at(size_t index)
{
	static const struct leg_column_set *const sets[] = {
		&leg_columns_plain, &leg_columns_verbose, &leg_columns_further};

	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		if (index < sets[i]->count)
			return &sets[i]->columns[index];
		index -= sets[i]->count;
	}
	return NULL;
}

const char *report_column_name(size_t index)
{
	const struct leg_column *column = column_at(index);

	return column ? column->name : NULL;
}

static const struct leg_column *find_column(const char *name, size_t length)
{
	const struct leg_column *column;

	for (size_t i = 0; (column = column_at(i)); i++)
		if (strlen(column->name) == length &&
		    strncasecmp(column->name, name, length) == 0)
			return column;
	return NULL;
}

struct error *report_check_columns(const char *names)
{
	struct str all = {0};
	struct error *error;
	const char *name;

	for (;; names++) {
		size_t length = strcspn(names, ",");

		if (!find_column(names, length))
			break;
		names += length;
		if (!*names)
			return NULL;
	}
	for (size_t i = 0; (name = report_column_name(i)); i++)
		str_printf(&all, "%s%s", i ? ", " : "", name);
	error = error_create(ERROR_USAGE,
			     "no column is called `%.*s'; columns are auto, "
			     "memo, or names with commas between: %s",
			     (int)strcspn(names, ","), names, str_text(&all));
	str_deinit(&all);
	return error;
}

void report_choose_columns(struct report_options *options, const char *columns)
{
	bool is_auto = str_equal(columns, "auto");

	options->memo = str_equal(columns, "memo");
	options->chosen = is_auto || options->memo ? NULL : columns;
}

/* Add the columns that name the process of a row. They stand before the first
 * figure. */
static void add_processes(struct leg_columns *columns,
			  const struct legs_form *form)
{
	struct leg_columns all = {0};
	size_t at = leg_columns_leading(columns);

	/* the process stands behind the id and the name of the leg, and before
	 * the nodes: the name already says which leg the row is about */
	if (!form->memo && at > 2)
		at = 2;
	/* in the memo's table the processes stand before the nodes */
	if (form->memo)
		at = 1;
	for (size_t i = 0; i <= columns->count; i++) {
		if (i == at) {
			vec_push(&all, form->tables->by_rank ? &leg_column_rank
							     : &leg_column_pid);
			if (form->names != PROCESS_PIDS)
				vec_push(&all, &leg_column_process);
		}
		if (i < columns->count)
			vec_push(&all, columns->data[i]);
	}
	vec_free(columns);
	*columns = all;
}

void leg_columns_first(const struct legs_form *form, struct leg_columns *out)
{
	const char *names = form->chosen;

	if (form->memo)
		append(out, &leg_columns_memo, SIZE_MAX);
	else if (!names)
		append(out, &leg_columns_plain, SIZE_MAX);
	while (!form->memo && names && *names) {
		size_t length = strcspn(names, ",");
		const struct leg_column *column = find_column(names, length);

		if (column)
			vec_push(out, column);
		names += length + (names[length] == ',');
	}
	if (form->by_process)
		add_processes(out, form);
}

static bool is_among(const struct leg_columns *columns, const char *name)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->data[i]->name &&
		    str_equal(columns->data[i]->name, name))
			return true;
	return false;
}

void leg_columns_rest(const struct leg_columns *shown, struct leg_columns *out)
{
	const size_t count =
		leg_columns_plain.count + leg_columns_verbose.count;

	/* the columns that identify the leg stand in each table */
	append(out, &leg_columns_plain, LEG_COLUMNS_KEY);
	for (size_t i = LEG_COLUMNS_KEY; i < count; i++)
		if (!is_among(shown, column_at(i)->name))
			vec_push(out, column_at(i));
}

bool leg_columns_have_cpu(const struct leg_columns *columns)
{
	return is_among(columns, "cpu_mean") ||
	       is_among(columns, "waiting_mean") || is_among(columns, "cpu") ||
	       is_among(columns, "waiting");
}

size_t leg_columns_leading(const struct leg_columns *columns)
{
	size_t count = 0;

	while (count < columns->count && columns->data[count]->identifies)
		count++;
	return count;
}

/* ---- the table ---------------------------------------------------------- */

/* The heading of a column, which says how expendable the column is in this
 * table. `cpu`: the tool knows the time on a CPU of some executions. */

static struct column heading(const struct leg_column *column,
			     const struct legs_form *form, bool cpu)
{
	struct column heading = column->column;

	if (form->by_process && column->by_process)
		heading.expendable = column->by_process;
	if (form->by_process && heading.shrinks_to == LEAST_NAME)
		heading.shrinks_to = LEAST_NAME_BY_PROCESS;
	if (!cpu && column->unknown)
		heading.expendable = column->unknown;
	return heading;
}

void legs_grid(struct grid *grid, const struct legs_form *form,
	       const struct leg_columns *columns)
{
	const struct tables *tables = form->tables;
	bool cpu = is_any_cpu_known(tables);

	for (size_t i = 0; i < columns->count; i++)
		grid_column(grid, heading(columns->data[i], form, cpu));
	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct report_leg *leg = report_row(tables, i);

		for (size_t j = 0; j < columns->count; j++)
			columns->data[j]->cell(grid, form, leg);
	}
}
