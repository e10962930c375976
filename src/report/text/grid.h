/*
 * grid.h - a text table that is laid out in columns
 *
 * The caller describes the columns as data: two header lines, the alignment,
 * and what may happen to the column on a narrow terminal. Then the caller adds
 * the cells row by row, from left to right, and prints the grid at the end,
 * because a column is as wide as its widest cell. The caller frees the grid
 * with grid_deinit(). All zero is the empty grid.
 *
 * If a grid is wider than the terminal, columns are left out and texts are cut,
 * but figures are never cut, because they would read as other figures.
 */
#ifndef PERFTOOL_REPORT_GRID_H
#define PERFTOOL_REPORT_GRID_H

#include "perftool/base/str.h"
#include "perftool/base/vec.h"

struct column {
	const char *top, *bottom; /* header lines; NULL: empty */
	bool right;               /* the cells are aligned to the right */
	bool bare;                /* there is no rule under the header */
	bool tight;               /* one blank precedes the column, not two */
	const char *color;        /* escape sequence for the cells, or NULL */
	/* The higher the number, the sooner the column is left out. Of columns
	 * with the same number the rightmost is left out first. */
	int expendable;
	/* the column is left out before any name is cut */
	bool yields;
	/* The column says which thing a row is about, or has the row's first
	 * figure. A key is never left out, unless it yields. */
	bool key;
	size_t minimum; /* the least width before the column is cut */
	/* The cells may be cut to this width; 0: they may not be cut. */
	size_t shrinks_to;

	/* The grid sets these. */
	size_t width;
	size_t content; /* the width of the widest cell */
	bool hidden;    /* the column is left out */
};

struct grid {
	VEC(struct column) columns;
	VEC(char *) cells;
};

void grid_deinit(struct grid *grid);
void grid_column(struct grid *grid, struct column column);

/*
 * Add a cell. grid_take() takes over the string and frees it later. NULL is an
 * empty cell. A cell can be a name from the program under measurement, so what
 * printable() takes out of a text (report/figures/printable.h) becomes '?'.
 */
void grid_take(struct grid *grid, char *cell);
void grid_text(struct grid *grid, const char *cell);
void grid_printf(struct grid *grid, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Does the grid fit into `width` if all cells are cut as far as they may be? A
 * width of 0 or less is no limit. */
bool grid_fits(const struct grid *grid, int width);

/*
 * Make the grid fit into `width`; 0 is no limit. Returns whether columns were
 * left out. There are three steps, and the later ones happen only as far as
 * they are needed:
 *
 *   1. If leaving out columns that yield is enough, leave those out, and cut
 *      nothing.
 *   2. Else leave out columns that are no keys, the most expendable first,
 *      until the grid fits with its cells cut, and cut the cells.
 *   3. If only keys are left, cut also headings, and cut names further.
 */
bool grid_fit(struct grid *grid, int width);

/* Leave out columns that yield, the most expendable first, until the grid fits
 * into `width` with no name cut, or until no such column is left. 0 is no
 * limit. Returns whether columns were left out. */
bool grid_yield(struct grid *grid, int width);

/* Does the grid show a column with this upper header line? */
bool grid_shows(const struct grid *grid, const char *top);

/* Append the header, the rule and the rows. `color`: the header is bold, and
 * cells have the colours of their columns. */
void grid_print(struct grid *grid, bool color, struct str *out);

/* Append all columns, in as many tables below each other as `width` needs. Each
 * table begins with the first `keys` columns, which say which thing a row is
 * about. */
void grid_print_folded(struct grid *grid, size_t keys, int width, bool color,
		       struct str *out);

/* How many columns of a terminal a UTF-8 text takes: its number of characters.
 */
size_t text_width(const char *text);

#endif
