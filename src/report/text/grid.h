/*
 * grid.h - a text table: columns as data
 *
 * A column has two header lines and an alignment, and is as wide as its widest
 * cell. Cells are added row by row, left to right; nothing is printed before
 * all are known.
 */
#ifndef PERFTOOL_REPORT_GRID_H
#define PERFTOOL_REPORT_GRID_H

#include "perftool/base/str.h"
#include "perftool/base/vec.h"

struct column {
	const char *top, *bottom; /* header lines; NULL: empty */
	bool right;               /* aligned */
	bool bare;                /* no rule under the header */
	bool tight;               /* one blank before it, not two */
	const char *color;        /* of its cells: an escape, or NULL */
	int expendable;           /* > 0: may be left out, the highest first */
	bool yields;              /* goes before a name is cut */
	bool key; /* tells what a row is of, or its first figure: it is never
		     left out */
	size_t minimum;    /* width */
	size_t shrinks_to; /* what does not fit is cut, but no shorter; 0: it
			      is not */
	size_t width;      /* kept by the grid */
	size_t content;    /* the widest cell's; kept by the grid */
	bool hidden;       /* kept by the grid */
};

struct grid {
	VEC(struct column) columns;
	VEC(char *) cells;
};

void grid_deinit(struct grid *grid);
void grid_column(struct grid *grid, struct column column);

/*
 * The cell is taken over; NULL is an empty one. Names come from the program
 * under measurement: control characters in them become '?'.
 */
void grid_take(struct grid *grid, char *cell);
void grid_text(struct grid *grid, const char *cell);
void grid_printf(struct grid *grid, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Does it fit into `width`? All do into 0. */
bool grid_fits(const struct grid *grid, int width);

/* Leave out expendable columns until it fits into `width`, with names cut
 * unless it is enough to leave out columns that yield to them; then, where it
 * is narrower still, all that are no keys, and cut what may be cut; 0: all fit.
 * True: columns were left out. */
bool grid_fit(struct grid *grid, int width);

/* Leave out columns that yield, the most expendable first, until no name need
 * be cut in `width` or none is left. True: columns were left out. */
bool grid_yield(struct grid *grid, int width);

/* Has it a column with this upper header line that is not left out? */
bool grid_shows(const struct grid *grid, const char *top);

/* Header, rule and rows; `color`: headers stand out, cells have colours. */
void grid_print(struct grid *grid, bool color, struct str *out);

/* All columns, in as many tables below each other as `width` needs; each begins
 * with the first `keys` columns, which say what a row is of. */
void grid_print_folded(struct grid *grid, size_t keys, int width, bool color,
		       struct str *out);

/* How many columns of a terminal a UTF-8 text takes. */
size_t text_width(const char *text);

#endif
