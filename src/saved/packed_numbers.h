/*
 * packed_numbers.h - numbers in few bytes, one after the other
 *
 * Most numbers of many legs are small: they take one or two bytes in the place
 * of eight or sixteen. They are taken in the order in which they were put.
 */
#ifndef SAVED_PACKED_NUMBERS_H
#define SAVED_PACKED_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#include "perftool/base/vec.h"

VEC_STRUCT(packed_bytes, uint8_t);

void put_number(struct packed_bytes *bytes, uint64_t number);
uint64_t take_number(const uint8_t *bytes, size_t *at);

/* A number that may be below 0. */
void put_integer(struct packed_bytes *bytes, __int128 number);
__int128 take_integer(const uint8_t *bytes, size_t *at);

/* All bits of a double. */
void put_double(struct packed_bytes *bytes, double number);
double take_double(const uint8_t *bytes, size_t *at);

#endif
