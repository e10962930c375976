/* packed_numbers.c - see packed_numbers.h */
#include "packed_numbers.h"

#include <string.h>

#include "perftool/base/alloc.h"

/* Seven bits a byte, the lowest first; the highest bit says that another byte
 * follows. */
void put_number(struct packed_bytes *bytes, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		vec_push(bytes, (uint8_t)(number | 0x80));
	vec_push(bytes, (uint8_t)number);
}

uint64_t take_number(const uint8_t *bytes, size_t *at)
{
	uint64_t number = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = bytes[(*at)++];

		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return number;
	}
}

/* The lowest bit of the first byte is the sign, so that numbers just below 0
 * are small as well. */
void put_integer(struct packed_bytes *bytes, __int128 number)
{
	unsigned __int128 rest = (unsigned __int128)number << 1;

	if (number < 0)
		rest = ~rest;
	for (; rest >= 0x80; rest >>= 7)
		vec_push(bytes, (uint8_t)(rest | 0x80));
	vec_push(bytes, (uint8_t)rest);
}

__int128 take_integer(const uint8_t *bytes, size_t *at)
{
	unsigned __int128 number = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = bytes[(*at)++];
		number |= (unsigned __int128)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return (__int128)(number & 1 ? ~(number >> 1) : number >> 1);
}

void put_double(struct packed_bytes *bytes, double number)
{
	uint8_t raw[sizeof(number)];

	memcpy(raw, &number, sizeof(raw));
	for (size_t i = 0; i < sizeof(raw); i++)
		vec_push(bytes, raw[i]);
}

double take_double(const uint8_t *bytes, size_t *at)
{
	double number;

	memcpy(&number, bytes + *at, sizeof(number));
	*at += sizeof(number);
	return number;
}
