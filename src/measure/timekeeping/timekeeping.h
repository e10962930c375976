/*
 * timekeeping.h - the clock of a measurement, which can be paused, and the time
 * that the tool takes of it
 *
 * This folder uses no other folder of the layer.
 */
#ifndef MEASURE_TIMEKEEPING_H
#define MEASURE_TIMEKEEPING_H

#include "overhead.h"
#include "stopwatch.h"

#endif
