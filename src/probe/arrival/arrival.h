/*
 * arrival.h - what the arrival of a thread at a site means: hits, and the ends
 * of frames
 *
 * When a thread reaches a site, this folder decides which breakpoints are hit
 * and what each hit reports: its frame, its values, its goroutine, its cost
 * (site_hits.h, cost.h). The folder finds the exits of a function in the
 * function's code (exits.h). A frame that ends in another function, after a
 * tail jump, is followed from jump to jump until it ends (tails.h).
 *
 * It does not matter whether the site is an int3 or a jump: for jumps, the
 * folder rings calls this folder with what was recorded. This folder uses the
 * folders process and site; the folders fast, rings, calibrate and request use
 * it.
 */
#ifndef PROBE_ARRIVAL_H
#define PROBE_ARRIVAL_H

#include "cost.h"
#include "exits.h"
#include "site_hits.h"
#include "tails.h"

#endif
