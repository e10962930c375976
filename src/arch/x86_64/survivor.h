/*
 * survivor.h - the numbers that survivor.S needs from the structures of C and
 * from the kernel
 *
 * The assembler cannot read the definitions of structures. survivor.c compares
 * every number in this file with the structures when it is compiled.
 */
#ifndef ARCH_SURVIVOR_H
#define ARCH_SURVIVOR_H

/* The store (perftool/arch.h). */
#define CODE_OFFSET 0x1000
#define INDEX_OFFSET 0x10000
#define INDEX_BITS 17
#define TABLE_OFFSET 0x90000
#define MOST_ENTRIES 0x18000
#define SLOTS_OFFSET 0x690000

#define HEADER_AREA_COUNT 32
#define HEADER_AREAS 40
#define MOST_AREAS 64
#define AREA_LOW 0
#define AREA_HIGH 8
#define AREA_SIZE 32

#define ENTRY_SITE 0
#define ENTRY_SLOT 8
#define ENTRY_SIZE_BITS 6

/* This is 2^64 divided by the golden ratio. It spreads neighbouring addresses
 * evenly over the index. */
#define HASH_FACTOR 0x9e3779b97f4a7c15

/* What the kernel passes to a signal handler: siginfo_t and ucontext_t. */
#define INFO_CODE 8
#define CONTEXT_RIP 168
#define CONTEXT_FLAGS 176
#define CONTEXT_MASK 296

#define TRAP_SIGNAL 5
#define TRAP_BIT (1 << (TRAP_SIGNAL - 1))
#define CODE_INT3 0x80 /* SI_KERNEL, the kernel's si_code for an int3 */
#define CODE_STEP 2    /* TRAP_TRACE */
#define CODE_INT1 1    /* TRAP_BRKPT */
#define CODE_WATCH 4   /* TRAP_HWBKPT, the trap of a debug register */
#define FLAGS_TF 0x100

#define MASK_BYTES 8
#define HOW_BLOCK 0

#define CALL_RT_SIGACTION 13
#define CALL_RT_SIGPROCMASK 14
#define CALL_RT_SIGRETURN 15
#define CALL_GETPID 39
#define CALL_GETTID 186
#define CALL_TGKILL 234
#define CALL_RT_TGSIGQUEUEINFO 297

#define INT3 0xcc
#define INT1 0xf1

#endif
