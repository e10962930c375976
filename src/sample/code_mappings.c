/*
 * code_mappings.c - executable memory that belongs to no module of the session:
 * code that is made at run time, and code of a module that the program has
 * mapped a second time (V8 does, for its own functions)
 *
 * Nothing tells the tool of such memory. So the list is read again when an
 * address that is likely to be one of code is not in it. Where registers do
 * not hold what they seem to hold, that is the case at each tick, so the list
 * is not read each time.
 */
#include "code_rules.h"
#include "perftool/target/memory_maps.h"

/* The list is read for so many addresses that are not in it, and then once in
 * so many. */
#define FIRST_MISSES 16
#define PATIENCE 64

void code_mappings_forget(struct code_rules *rules)
{
	vec_free(&rules->mappings);
	rules->misses = 0;
}

static void read_mappings(struct code_rules *rules)
{
	struct mapping_list maps;
	struct error *error = target_read_maps(rules->process->pid, &maps);

	vec_clear(&rules->mappings);
	if (error) {
		error_destroy(error);
		return;
	}
	for (size_t i = 0; i < maps.count; i++) {
		const struct mapping *map = &maps.data[i];

		if (map->executable)
			vec_push(&rules->mappings,
				 (struct code_mapping){
					 .low = map->low,
					 .high = map->high,
					 .offset = map->offset,
					 .inode = map->inode,
					 .device = map->device,
				 });
	}
	mapping_list_deinit(&maps);
}

const struct code_mapping *code_mapping_at(const struct code_rules *rules,
					   uint64_t address)
{
	for (size_t i = 0; i < rules->mappings.count; i++)
		if (address >= rules->mappings.data[i].low &&
		    address < rules->mappings.data[i].high)
			return &rules->mappings.data[i];
	return NULL;
}

void code_mappings_expect(struct code_rules *rules,
			  const struct sampler_host *host, uint64_t address)
{
	if (!code_rules_module(rules, host, address) &&
	    !code_mapping_at(rules, address) &&
	    (rules->misses++ < FIRST_MISSES || rules->misses % PATIENCE == 0))
		read_mappings(rules);
}

bool code_mapping_module(struct code_rules *rules,
			 const struct sampler_host *host, uint64_t address,
			 struct sampled_module *out)
{
	const struct code_mapping *mapping = code_mapping_at(rules, address);
	uint64_t loaded;

	if (!mapping || !mapping->inode)
		return false;
	for (size_t i = 0; i < rules->mappings.count; i++) {
		const struct code_mapping *other = &rules->mappings.data[i];

		if (other->inode != mapping->inode ||
		    other->device != mapping->device ||
		    !host->find_module(host->context, rules->process,
				       other->low, out) ||
		    !out->file ||
		    !debugfile_address_of_offset(out->file, mapping->offset,
						 &loaded))
			continue;
		out->bias = mapping->low - loaded;
		out->begin = mapping->low;
		out->end = mapping->high;
		return true;
	}
	return false;
}
