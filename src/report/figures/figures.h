/*
 * figures.h - how reports write one number: a time with its unit, a count, a
 * share of a CPU
 *
 * This folder uses no other folder of the layer. The folders records and text
 * use it.
 */
#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "cpu_text.h"
#include "units.h"

#endif
