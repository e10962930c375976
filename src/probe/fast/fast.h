/*
 * fast.h - sites that are jumps: what a thread executes there, and where the
 * jump can be
 *
 * A fast site is one whose instruction is a jump to a trampoline, which records
 * the hit and goes on. This folder compiles what the breakpoints of a site want
 * into its trampoline (fast_site.c, compilation.c, exit_condition.c). It finds
 * bytes and a target for the jump (patch_plan.c, landing.c). Where there is no
 * room for a jump it moves the next instruction away (eviction.c), or moves the
 * breakpoints to another instruction that is reached as often (transfer.c,
 * stand.c, passage.h).
 *
 * Which sites are to be fast, and when that changes, is mechanism.c of the
 * layer's own folder. What trampolines write is read by the folder rings. This
 * folder uses process, site and arrival; the folders rings and calibrate use
 * it.
 */
#ifndef PROBE_FAST_H
#define PROBE_FAST_H

#include "fast_site.h"
#include "passage.h"

#endif
