/* grid.c - a text table that is laid out in columns */
#include "grid.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "report/figures/figures.h"

void grid_deinit(struct grid *grid)
{
	for (size_t i = 0; i < grid->cells.count; i++)
		free(grid->cells.data[i]);
	vec_free(&grid->cells);
	vec_free(&grid->columns);
}

size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

void grid_column(struct grid *grid, struct column column)
{
	if (!column.top)
		column.top = "";
	if (!column.bottom)
		column.bottom = "";
	column.width =
		larger(column.minimum, larger(text_width(column.top),
					      text_width(column.bottom)));
	vec_push(&grid->columns, column);
}

void grid_take(struct grid *grid, char *cell)
{
	size_t index = grid->cells.count % grid->columns.count;
	struct column *column = &grid->columns.data[index];
	struct str clean = {0};

	str_append(&clean, "");
	if (cell)
		printable(cell, &clean);
	free(cell);
	cell = str_take(&clean);
	column->content = larger(column->content, text_width(cell));
	column->width = larger(column->width, column->content);
	vec_push(&grid->cells, cell);
}

void grid_text(struct grid *grid, const char *cell)
{
	grid_take(grid, xstrdup(cell ? cell : ""));
}

void grid_printf(struct grid *grid, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	grid_take(grid, xvasprintf(format, ap));
	va_end(ap);
}

static void blanks(struct str *out, size_t count)
{
	while (count-- > 0)
		str_append_char(out, ' ');
}

/* Remove the blanks at the end of the line, append the line to `out`, and make
 * `line` empty again. `color`: the line is bold. */
static void end_line(struct str *line, bool color, struct str *out)
{
	while (line->length && line->data[line->length - 1] == ' ')
		line->data[--line->length] = '\0';
	if (color && line->length)
		str_append(out, "\033[1m");
	str_append(out, str_text(line));
	if (color && line->length)
		str_append(out, "\033[0m");
	str_append_char(out, '\n');
	line->length = 0;
	if (line->data)
		line->data[0] = '\0';
}

/* Append the text, cut to `width` characters. The last two of them are dots,
 * which say that the text was cut. */
static void put_cut(const char *text, size_t width, struct str *line)
{
	const char *end = text;

	for (size_t kept = 2; kept < width; kept++) {
		end++;
		while (((unsigned char)*end & 0xc0) == 0x80)
			end++;
	}
	str_append_n(line, text, (size_t)(end - text));
	str_append(line, "..");
}

static void put_text(const char *text, size_t width, const char *color,
		     struct str *line)
{
	if (color && *text)
		str_append(line, color);
	if (text_width(text) > width)
		put_cut(text, width, line);
	else
		str_append(line, text);
	if (color && *text)
		str_append(line, "\033[0m");
}

static bool is_first_shown(const struct grid *grid, size_t index)
{
	while (index-- > 0)
		if (!grid->columns.data[index].hidden)
			return false;
	return true;
}

static void put(const struct grid *grid, size_t index, const char *text,
		const char *color, struct str *line)
{
	const struct column *column = &grid->columns.data[index];
	size_t width = text_width(text);
	size_t fill = width < column->width ? column->width - width : 0;

	if (column->hidden)
		return;
	if (!is_first_shown(grid, index))
		blanks(line, column->tight ? 1 : 2);
	if (column->right)
		blanks(line, fill);
	put_text(text, column->width, color, line);
	if (!column->right)
		blanks(line, fill);
}

static void put_rule(const struct grid *grid, size_t index, struct str *line)
{
	const struct column *column = &grid->columns.data[index];
	struct str rule = {0};

	for (size_t i = 0; i < column->width && !column->bare; i++)
		str_append_char(&rule, '-');
	put(grid, index, str_text(&rule), NULL, line);
	str_deinit(&rule);
}

/* The least width to which the cells of the column may be cut. */
static size_t least_width(const struct column *column)
{
	return column->shrinks_to && column->shrinks_to < column->width
		       ? column->shrinks_to
		       : column->width;
}

/* `least': the width if all cells are cut as far as they may be. */
static size_t total_width(const struct grid *grid, bool least)
{
	size_t total = 0;
	bool any = false;

	for (size_t i = 0; i < grid->columns.count; i++) {
		const struct column *column = &grid->columns.data[i];

		if (column->hidden)
			continue;
		total += least ? least_width(column) : column->width;
		if (any)
			total += column->tight ? 1 : 2;
		any = true;
	}
	return total;
}

bool grid_fits(const struct grid *grid, int width)
{
	return width <= 0 || total_width(grid, true) <= (size_t)width;
}

/* Would the cells of the column lose letters if the column were cut as far as
 * it may be? Otherwise only the heading would lose some. */
static bool cuts_cells(const struct column *column)
{
	return least_width(column) < column->content;
}

/* Cut columns until the grid fits into `width` or nothing can be cut any more.
 * The first round cuts only headings, the second cuts cells. */
static void cut(struct grid *grid, size_t width)
{
	size_t count = grid->columns.count;

	for (size_t i = 0; i < 2 * count; i++) {
		struct column *column = &grid->columns.data[i % count];
		size_t total = total_width(grid, false);
		size_t spare = column->width - least_width(column);

		if (column->hidden || total <= width ||
		    cuts_cells(column) != (i >= count))
			continue;
		column->width -= total - width < spare ? total - width : spare;
	}
}

/* Return the column that is left out next before any name is cut: the most
 * expendable shown column that yields, and of several the rightmost. NULL: no
 * such column is left. */
static struct column *first_to_yield(const struct grid *grid)
{
	struct column *victim = NULL;

	for (size_t i = 0; i < grid->columns.count; i++) {
		struct column *column = &grid->columns.data[i];

		if (!column->hidden && column->yields &&
		    (!victim || column->expendable >= victim->expendable))
			victim = column;
	}
	return victim;
}

bool grid_yield(struct grid *grid, int width)
{
	struct column *victim;
	bool hidden = false;

	while (width > 0 && total_width(grid, false) > (size_t)width &&
	       (victim = first_to_yield(grid)))
		victim->hidden = hidden = true;
	return hidden;
}

/* Leave out columns that yield, if that is enough to fit without a cut name. If
 * names would have to be cut nevertheless, show all columns again and return
 * false. */
static bool fit_whole(struct grid *grid, int width, bool *hidden)
{
	*hidden = grid_yield(grid, width);
	if (total_width(grid, false) <= (size_t)width)
		return true;
	for (size_t i = 0; *hidden && i < grid->columns.count; i++)
		grid->columns.data[i].hidden = false;
	*hidden = false;
	return false;
}

/* Return the column that is left out next: the most expendable shown column
 * that is no key, and of several the rightmost. NULL: only keys are left. */
static struct column *least_telling(const struct grid *grid)
{
	struct column *victim = NULL;

	for (size_t i = 0; i < grid->columns.count; i++) {
		struct column *column = &grid->columns.data[i];

		if (!column->hidden && !column->key &&
		    (!victim || column->expendable >= victim->expendable))
			victim = column;
	}
	return victim;
}

/* The widths to which names and headings may be cut if not even the keys fit.
 * Figures are never cut, because they would read as other figures. */
#define LEAST_NAME 4
#define LEAST_HEADING 2

static void squeeze(struct grid *grid)
{
	for (size_t i = 0; i < grid->columns.count; i++) {
		struct column *column = &grid->columns.data[i];

		if (column->shrinks_to)
			column->shrinks_to = LEAST_NAME;
		else if (!column->bare)
			column->shrinks_to =
				larger(column->content, LEAST_HEADING);
	}
}

bool grid_fit(struct grid *grid, int width)
{
	struct column *victim;
	bool hidden = false;

	if (width > 0 && fit_whole(grid, width, &hidden))
		return hidden;
	while (!grid_fits(grid, width) && (victim = least_telling(grid)))
		victim->hidden = hidden = true;
	if (!grid_fits(grid, width))
		squeeze(grid);
	if (width > 0)
		cut(grid, (size_t)width);
	return hidden;
}

bool grid_shows(const struct grid *grid, const char *top)
{
	for (size_t i = 0; i < grid->columns.count; i++)
		if (str_equal(grid->columns.data[i].top, top) &&
		    !grid->columns.data[i].hidden)
			return true;
	return false;
}

void grid_print(struct grid *grid, bool color, struct str *out)
{
	size_t columns = grid->columns.count;
	struct str line = {0};
	bool two_lines = false;

	for (size_t i = 0; i < columns; i++)
		two_lines |= !grid->columns.data[i].hidden &&
			     *grid->columns.data[i].top != '\0';
	for (size_t i = 0; i < columns && two_lines; i++)
		put(grid, i, grid->columns.data[i].top, NULL, &line);
	if (two_lines)
		end_line(&line, color, out);
	for (size_t i = 0; i < columns; i++)
		put(grid, i, grid->columns.data[i].bottom, NULL, &line);
	end_line(&line, color, out);
	for (size_t i = 0; i < columns; i++)
		put_rule(grid, i, &line);
	end_line(&line, false, out);
	for (size_t i = 0; i < grid->cells.count; i++) {
		const char *escape = grid->columns.data[i % columns].color;

		put(grid, i % columns, grid->cells.data[i],
		    color ? escape : NULL, &line);
		if (i % columns == columns - 1)
			end_line(&line, false, out);
	}
	str_deinit(&line);
}

/* Show the first `keys' columns, and from column `next' on as many as there is
 * room for, but at least one. Hide all others. Returns the column at which the
 * next table begins. */
static size_t show_part(struct grid *grid, size_t keys, size_t next, int width)
{
	size_t count = grid->columns.count;

	for (size_t i = keys; i < count; i++)
		grid->columns.data[i].hidden = i != next;
	for (next++; next < count; next++) {
		grid->columns.data[next].hidden = false;
		if (grid_fits(grid, width))
			continue;
		grid->columns.data[next].hidden = true;
		break;
	}
	return next;
}

void grid_print_folded(struct grid *grid, size_t keys, int width, bool color,
		       struct str *out)
{
	const size_t count = grid->columns.count;
	VEC(struct column) whole = {0};
	size_t next = keys < count ? keys : 0;

	for (size_t i = 0; i < count; i++) {
		grid->columns.data[i].key = true;
		grid->columns.data[i].yields = false;
		vec_push(&whole, grid->columns.data[i]);
	}
	while (next < count) {
		if (next > keys)
			str_append_char(out, '\n');
		memcpy(grid->columns.data, whole.data,
		       count * sizeof(*whole.data));
		next = show_part(grid, keys, next, width);
		grid_fit(grid, width);
		grid_print(grid, color, out);
	}
	vec_free(&whole);
}
