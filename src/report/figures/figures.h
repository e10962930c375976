/*
 * figures.h - how reports write a single figure: a time with its unit, a count,
 * a percentage; a name from the program, also as XML; and what they say about
 * the time on a CPU
 *
 * This folder uses no other folder of the layer. The other folders use it.
 */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "clean_name.h"
#include "cpu_text.h"
#include "printable.h"
#include "svg_text.h"
#include "units.h"

#endif
