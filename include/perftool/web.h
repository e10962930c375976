/*
 * web.h - what the pages and the figures of perftool have in common: how they
 * look, and the script that sorts tables
 *
 * The live page (`perftool serve --http`), the report (`save report`) and the
 * plots (`save plot`) use the same style sheets, so that a figure looks the
 * same in each. The texts end in a NUL, and have neither `<` nor `&`, so that
 * they can stand in XML as they are (sorting_script in a CDATA section).
 */
#ifndef PERFTOOL_WEB_H
#define PERFTOOL_WEB_H

/* Of a page: its colours as variables, its text, and its tables. */
extern const char page_style[];
/* Of figures in SVG. The rules have their colours, and no variables, because
 * many programs that show SVG know none. */
extern const char figure_style[];
/* class SortOrder: by which column a table is sorted, and in which direction.
 */
extern const char sorting_script[];

#endif
