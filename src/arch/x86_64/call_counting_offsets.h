/*
 * call_counting_offsets.h - the numbers that call_counting.S needs from the
 * structures of C
 *
 * call_counting.c compares every number in this file with the structures when
 * it is compiled.
 */
#ifndef ARCH_CALL_PROFILE_OFFSETS_H
#define ARCH_CALL_PROFILE_OFFSETS_H

/* In the header of the thread's block (struct ring_header). */
#define HELD 848

/* The call block in the thread's block, and the members of its header (struct
 * call_block). */
#define CALLS 0x6a1000
#define CALLS_HITS (CALLS + 8)
#define CALLS_TOP (CALLS + 16)
#define CALLS_ARC_COUNT (CALLS + 20)
#define CALLS_IGNORED (CALLS + 24)
#define CALLS_COST (CALLS + 64)
#define CALLS_OWN (CALLS + 72)
#define CALLS_STACK_LOW (CALLS + 88)
#define CALLS_STACK_SIZE (CALLS + 96)
#define CALLS_INDEX_SHIFT (CALLS + 116)
#define CALLS_LAST_SHIFT (CALLS + 120)
#define CALLS_SKIP_FRAME (CALLS + 168)
#define CALLS_SKIP_SITE (CALLS + 176)
#define CALLS_MOST (CALLS + 184)

/* Its arrays. */
#define OPENS (CALLS + 0x1000)
#define LAST_OPENED 0x3ffff
#define ARCS (CALLS + 0x1001000)
#define LAST_ARC 0x7fff
#define COLD (CALLS + 0x1201000)
#define INDEX (CALLS + 0x1301000)
#define LAST_SLOT 0xffff
#define DEPTHS (CALLS + 0x1341000)
#define LAST_FUNCTION 0xffff

/* struct call_activation */
#define OPENED_BITS 6
#define OPENED_BYTES 64
#define OPENED_FRAME 0
#define OPENED_FUNCTION 8
#define OPENED_ARC 12
#define OPENED_START 16
#define OPENED_TAKEN 24
#define OPENED_CHILDREN 32
#define OPENED_COMING 40

/* struct call_block_arc */
#define ARC_BITS 6
#define ARC_SITE 0
#define ARC_CALLER 8
#define ARC_CALLEE 12
#define ARC_COUNT 16
#define ARC_ELAPSED 24
#define ARC_SELF 32
#define ARC_OUTERMOST 40

/* struct call_block_cold */
#define COLD_BITS 5
#define COLD_UNRETURNED 0

#define OUTERMOST_BIT 32 /* in the value of the record of a call */
#define TOLD_CALL 0xc0000000

#define NO_FUNCTION 0xffffffff
#define ANY_FUNCTION 0xfffffffe
#define HASH_FACTOR 0x9e3779b97f4a7c15
/* How many slots of the index a thread looks at before it asks the tool. */
#define MOST_PROBES 256

#endif
