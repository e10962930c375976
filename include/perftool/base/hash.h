/*
 * hash.h - FNV-1a: the hash of a sequence of bytes, byte by byte
 *
 * Rule: draft-eastlake-fnv, 64 bits. The low bits of the result differ little
 * between short texts. So a hash table whose size is a power of two must mix
 * the bits of the result.
 */
#ifndef PERFTOOL_BASE_HASH_H
#define PERFTOOL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. */
#define HASH_START 0xcbf29ce484222325ULL

/* The hash of a sequence of bytes that has the hash `hash`, followed by this
 * byte. */
static inline uint64_t hash_byte(uint64_t hash, unsigned char byte)
{
	return (hash ^ byte) * 0x100000001b3ULL;
}

/* The hash of a sequence of bytes that has the hash `hash`, followed by `size`
 * more bytes. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < size; i++)
		hash = hash_byte(hash, at[i]);
	return hash;
}

#endif
