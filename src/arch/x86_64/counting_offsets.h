/*
 * counting_offsets.h - the numbers that counting.S needs from the structures of
 * C
 *
 * The assembler cannot read the definitions of structures. counting.c compares
 * every number in this file with the structures when it is compiled.
 */
#ifndef ARCH_COUNTING_OFFSETS_H
#define ARCH_COUNTING_OFFSETS_H

/* The header of the block (struct ring_header). */
#define HEAD 0
#define LIMIT 64
#define MASK 80
#define STALL_FROM 128
#define STALL_TO 136
#define SAVED_RSP 400
#define SAVED_R8 408
#define SAVED_R9 416
#define SAVED_R10 424
#define SAVED_R11 432
#define WAIT_RAX 440
#define WAIT_RDX 448
#define END_RSI 456
#define END_RDX 464
#define END_RCX 472
#define END_STEP 480
#define AGAIN_STATE 488
#define AGAIN_BACKS 492
#define COUNTED 512
#define TAKEN 520
#define FREE 528
#define FRESH 532
#define NEXT_BUCKETS 536
#define OUT_TOP 540
#define FOLLOWED 544
#define SINCE 576
#define COST 584
#define RECORD_COST 592
#define OWN 600
#define MOST 608
#define SCALE 616
#define STACK_LOW 624
#define STACK_SIZE 632
#define SKIP_FRAME 640
#define SKIP_SITE 648
#define FOLLOW_COST 656
#define NEXT_LEG 760
#define NEXT_OPEN 768
#define NEXT_FRAME 776
#define NEXT_START 784
#define NEXT_TAKEN 792
#define NEXT_ENTERED 800
#define NEXT_IGNORED_FROM 804

/* The arrays of the block. */
#define CELLS 4096
#define LAST_CELL 0xfffe0
#define LEGS 0x101000
#define LEG_BITS 6
#define MOST_LEGS 0xfff
#define OPEN 0x141000
#define OPEN_END 0x100000
#define LAST_OPEN 0xfffe0
#define OPEN_BYTES 32
#define OUT 0x241000
#define OUT_END 0x80000
#define LAST_OUT 0x7ffe0
#define OUT_BYTES 32
#define SETS 0x2c1000
#define SETS_END 0x681000
#define SET_BYTES 1920
#define ORDER 0x681000
#define ORDER_BITS 5
#define NEXT_SHIFT 12
#define KEEPS 0x1000000
/* If two frames are further apart, they may be on different stacks. */
#define ONE_STACK 32768

/* struct counting_leg */
#define LEG_TOP 0
#define LEG_BUCKETS 4
#define LEG_ENTERED 8
#define LEG_COUNT 16
#define LEG_SUM 24
#define LEG_SQUARES 32
#define LEG_MIN 40
#define LEG_MAX 44
#define LEG_IGNORED 48
#define LEG_IGNORED_FROM 52
#define LEG_UNWOUND 56
#define LEG_OUTSIDE 60

/* struct counting_open */
#define OPEN_FRAME 0
#define OPEN_START 8
#define OPEN_TAKEN 16
#define OPEN_BELOW 24
#define OPEN_BACK 28

/* struct counting_out */
#define OUT_FRAME 0
#define OUT_CALLER 8
#define OUT_LEG 16
#define OUT_STATE 20
#define OUT_BACKS 24
#define LEFT_OUT 0
#define LEFT_COMING 1
#define LEFT_IN 2
#define MOST_BACK 10000
#define NO_LEG 0xffffffff

/* struct ring_cell */
#define CELL_BYTES 32
#define CELL_TIME 0
#define CELL_SITE 8
#define CELL_MASK 12
#define CELL_BASE 16
#define CELL_VALUE 24

#define MASK_BITS 8
#define SITE_SHIFT 4
#define TOLD 0x80000000
#define COST_BITS 8
#define UNIT_SHIFT 4 /* from costs to units of durations */
#define BUCKET_BITS 7

#define INT3 0xcc

#endif
