/*
 * fast.h - fast sites: sites (patched addresses) whose patch is a jump and no
 * int3; what a thread executes there, and where the jump can be
 *
 * The jump of a fast site leads to a trampoline: code of the tool that records
 * the hit, executes the displaced instruction in its slot and goes back to the
 * program. This folder compiles what the breakpoints of a site need into the
 * site's trampoline (fast_site.c, compilation.c, exit_condition.c). It finds
 * bytes and a target for the jump (patch_plan.c, landing.c). If there is no
 * room for a jump, this folder evicts the next instruction (eviction.c), or it
 * moves the breakpoints to another instruction that is reached equally often, a
 * stand (transfer.c, stand.c, passage.h).
 *
 * mechanism.c of the layer's own folder decides which sites are to be fast, and
 * when that changes. The folder rings reads what trampolines write. This folder
 * uses process, site and arrival; the folders rings and calibrate use it.
 */
#ifndef PROBE_FAST_H
#define PROBE_FAST_H

#include "fast_site.h"
#include "passage.h"
#include "stand.h"

#endif
