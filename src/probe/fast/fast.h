/*
 * fast.h - sites that are jumps: what a thread executes there, and where the
 * jump can be
 *
 * The instruction of a fast site is a jump to a trampoline, which records the
 * hit and goes on. This folder compiles what the breakpoints of a site need
 * into the site's trampoline (fast_site.c, compilation.c, exit_condition.c). It
 * finds bytes and a target for the jump (patch_plan.c, landing.c). Where there
 * is no room for a jump, this folder evicts the next instruction (eviction.c),
 * or it moves the breakpoints to another instruction that is reached equally
 * often (transfer.c, stand.c, passage.h).
 *
 * mechanism.c of the layer's own folder decides which sites are to be fast, and
 * when that changes. The folder rings reads what trampolines write. This folder
 * uses process, site and arrival; the folders rings and calibrate use it.
 */
#ifndef PROBE_FAST_H
#define PROBE_FAST_H

#include "fast_site.h"
#include "passage.h"

#endif
