/*
 * samples.h - the ticks of the clock by class and method, for REPORT
 */
#ifndef OPERATIONS_SAMPLES_H
#define OPERATIONS_SAMPLES_H

#include <json-c/json.h>

struct desk;

/* Returns the ticks that were taken so far, as an object. Ticks of threads that
 * USETHREAD ignores are left out. A tick in a system class is that of the
 * nearest caller that is in none. A tick in an I/O class is waiting, and so is
 * one in a class that is both system and I/O. The caller frees the value. */
struct json_object *samples_object(struct desk *desk);

#endif
