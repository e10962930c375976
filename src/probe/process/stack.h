/*
 * stack.h - which stack a frame is on: stack.c
 */
#ifndef PROBE_STACK_H
#define PROBE_STACK_H

#include <stdint.h>

struct thread;

/* The stack that a stack pointer is on, as a number; 0: not known. */
uint64_t stack_of(struct thread *thread, uint64_t sp);

#endif
