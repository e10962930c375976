/*
 * hash.h - FNV-1a: the hash of a sequence of bytes, byte by byte
 *
 * Rule: draft-eastlake-fnv, 64 bits. Hash tables of a power of two slots must
 * mix the bits of the result, for its low bits differ little between short
 * texts.
 */
#ifndef PERFTOOL_BASE_HASH_H
#define PERFTOOL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. */
#define HASH_START 0xcbf29ce484222325ULL

/* The hash of what has the hash `hash`, and this byte behind it. */
static inline uint64_t hash_byte(uint64_t hash, unsigned char byte)
{
	return (hash ^ byte) * 0x100000001b3ULL;
}

/* The same with `size` bytes behind it. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = hash_byte(hash, at[i]);
	return hash;
}

#endif
