/*
 * survive.h - keeping the program intact if the tool dies, when the next tool
 * attaches, and when another program changes memory where sites are
 *
 * This folder installs a handler of SIGTRAP in the process, so that the program
 * outlives the tool (cover.h), and it removes what a tool that died has left
 * (recovery.h). It preserves what the program itself does with SIGTRAP
 * (trap_action.h), and it finds sites (patched addresses) whose patches are not
 * in memory any more (site_loss.h). For some of this it stops threads in
 * functions of the C library (libc_stop.h).
 *
 * It uses the folders process and site. The folders rings and calibrate use it
 * to let a thread go on from an int3; the layer's own folder uses all of it.
 */
#ifndef PROBE_SURVIVE_H
#define PROBE_SURVIVE_H

#include "cover.h"
#include "libc_stop.h"
#include "recovery.h"
#include "site_loss.h"
#include "trap_action.h"

#endif
