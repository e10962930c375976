/*
 * holders.c - see holders.h
 */
#include "holders.h"

void holders_deinit(struct holders *holders)
{
	vec_free(&holders->owners);
}

void holders_add(struct holders *holders, uint32_t owner)
{
	if (!owner) {
		holders->is_kept = true;
		return;
	}
	for (size_t i = 0; i < holders->owners.count; i++)
		if (holders->owners.data[i] == owner)
			return;
	vec_push(&holders->owners, owner);
}

bool holders_drop(struct holders *holders, uint32_t owner)
{
	for (size_t i = 0; i < holders->owners.count; i++) {
		if (holders->owners.data[i] != owner)
			continue;
		vec_remove(&holders->owners, i);
		return !holders->owners.count && !holders->is_kept;
	}
	return false;
}
