/*
 * plot.h - one figure as a document of its own
 */
#ifndef PERFTOOL_REPORT_PLOT_H
#define PERFTOOL_REPORT_PLOT_H

#include "perftool/report.h"

/* Append how the times of a leg are distributed as a document of SVG, which
 * needs no other file and no script. */
void report_plot_svg(const struct report_leg *leg, struct str *out);

#endif
