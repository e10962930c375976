/*
 * stack.h - which stack a frame is on: stack.c
 */
#ifndef PROBE_STACK_H
#define PROBE_STACK_H

#include <stdint.h>

struct thread;

/* The number of the stack that contains the address `sp`; 0: not known.
 * Addresses with the same number are on the same stack. */
uint64_t stack_of(struct thread *thread, uint64_t sp);

#endif
