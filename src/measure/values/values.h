/*
 * values.h - how many values of which size there were: histograms, and the rows
 * of a table that is split by a value
 *
 * This folder uses no other folder of the layer.
 */
#ifndef MEASURE_VALUES_H
#define MEASURE_VALUES_H

#include "hdr.h"
#include "split_rows.h"
#include "value_key.h"

#endif
