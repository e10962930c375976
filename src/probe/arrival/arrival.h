/*
 * arrival.h - what the arrival of a thread at a site means: hits, and the ends
 * of frames
 *
 * When a thread reaches a site (an address that the tool has patched), this
 * folder decides which breakpoints are hit and what each hit reports: its
 * frame, its values, its goroutine, its cost (site_hits.h, cost.h). The folder
 * finds the exits of a function in the function's code (exits.h). After a tail
 * jump, the frame of a function ends in another function; the folder follows
 * such a frame from jump to jump until it ends (tails.h).
 *
 * It does not matter whether the site is an int3 or a jump: for jumps, the
 * folder rings calls this folder with what the threads have recorded. This
 * folder uses the folders process and site; the folders fast, rings, calibrate
 * and request use it.
 */
#ifndef PROBE_ARRIVAL_H
#define PROBE_ARRIVAL_H

#include "cost.h"
#include "exits.h"
#include "site_hits.h"
#include "tails.h"

#endif
