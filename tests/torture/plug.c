/*
 * plug.c - a library that the victim loads and unloads all the time
 */
#include <stdint.h>

uint64_t g0(uint64_t x);

__attribute__((noinline)) uint64_t g0(uint64_t x)
{
	return x ^ 0x5555;
}
