/*
 * lld.c - calls.h linked by lld: segments that share a page of the file
 *
 * Flags: -fuse-ld=lld
 */
#include "calls.h"
