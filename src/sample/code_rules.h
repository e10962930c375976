/*
 * code_rules.h - what is known of the code addresses of a process: the module,
 * and how to find the caller of a frame there
 *
 * What an address needs is looked up once. It is forgotten when modules come or
 * go.
 */
#ifndef PERFTOOL_SAMPLE_CODE_RULES_H
#define PERFTOOL_SAMPLE_CODE_RULES_H

#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/go_program.h"
#include "perftool/sample.h"

/* How to find the caller of a frame. The values up to UNWIND_FULL are those of
 * `enum unwind_kind`. */
enum {
	/* the code makes the system call rt_sigreturn, and there is no call
	 * frame information */
	RULE_SIGRETURN = UNWIND_FULL + 1,
};

struct code_rule {
	uint64_t key;     /* 0: unused; see rule_key() */
	uint64_t address; /* as in struct sampled_frame */
	/* index into `modules`, plus 1; 0: no module that is known */
	uint32_t module;
	bool is_exact; /* as in struct sampled_frame */
	/* it cannot be a return address: no call is in front of it, or it is in
	 * the data of a module */
	bool is_no_code;
	enum go_stack_role role;
	struct unwind_row row;
};

/* Executable memory of a process. */
struct code_mapping {
	uint64_t low, high;
	uint64_t offset, inode,
		device; /* of the file; inode 0: there is none */
};

struct code_rules {
	struct process *process;
	uint64_t generation; /* of the host; 0 at first */
	struct code_rule *table;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
	VEC(struct sampled_module) modules;
	/* The vdso, which the caller may not know as a module. */
	bool is_vdso_sought;
	struct sampled_module vdso;
	/* The addresses behind the end of its file, where a thread may make
	 * system calls for the tool. */
	uint64_t scripts_low, scripts_high;
	/* code_mappings.c */
	VEC(struct code_mapping) mappings;
	size_t misses; /* how many addresses were not in `mappings` */
};

struct code_rules *code_rules_create(struct process *process);
void code_rules_destroy(struct code_rules *rules);

/* Are the modules those for which the rules are? */
bool code_rules_is_current(const struct code_rules *rules,
			   const struct sampler_host *host);
/* The modules have changed, but stacks from before are still to be unwound. The
 * rules that are in the table may be used for these. The files of the modules
 * may have been closed, and are not used any more. */
void code_rules_age(struct code_rules *rules);
/* Forget all if the modules have changed. */
void code_rules_renew(struct code_rules *rules,
		      const struct sampler_host *host);

static inline uint64_t rule_key(uint64_t pc, bool is_exact)
{
	return pc << 1 | is_exact;
}

/* Find out what is needed at a pc that is not in the table yet. */
const struct code_rule *code_rules_add(struct code_rules *rules,
				       const struct sampler_host *host,
				       uint64_t pc, bool is_exact);

static inline size_t rule_slot(uint64_t key, size_t capacity)
{
	return (size_t)(key * 0x9e3779b97f4a7c15ULL >> 20) & (capacity - 1);
}

/* The rule at a pc: where a frame executes (`is_exact`), or a return address.
 * The pointer is valid until the next call. */
static inline const struct code_rule *
code_rules_at(struct code_rules *rules, const struct sampler_host *host,
	      uint64_t pc, bool is_exact)
{
	uint64_t key = rule_key(pc, is_exact);

	if (rules->capacity)
		for (size_t i = rule_slot(key, rules->capacity);
		     rules->table[i].key; i = (i + 1) & (rules->capacity - 1))
			if (rules->table[i].key == key)
				return &rules->table[i];
	return code_rules_add(rules, host, pc, is_exact);
}

/* The module of a rule, or NULL. */
static inline const struct sampled_module *
rule_module(const struct code_rules *rules, const struct code_rule *rule)
{
	return rule->module ? &rules->modules.data[rule->module - 1] : NULL;
}

/* Is there code of a module at this address? Addresses that were asked for are
 * not remembered one by one. */
const struct sampled_module *code_rules_module(struct code_rules *rules,
					       const struct sampler_host *host,
					       uint64_t address);

/* Is the address in the code of the module's file, and not in its data? True if
 * the file cannot be read. */
bool module_has_code(const struct sampled_module *module, uint64_t address);

/* Returns whether threads make system calls for the tool at this address. The
 * function knows only the room behind the vdso's image, in its mapping. */
bool code_rules_has_script(struct code_rules *rules,
			   const struct sampler_host *host, uint64_t address);

/* Code is expected at this address. */
void code_mappings_expect(struct code_rules *rules,
			  const struct sampler_host *host, uint64_t address);
/* The executable memory that the address is in, as far as it is known, or
 * NULL. */
const struct code_mapping *code_mapping_at(const struct code_rules *rules,
					   uint64_t address);
/* The module whose code the program has mapped at this address once more. */
bool code_mapping_module(struct code_rules *rules,
			 const struct sampler_host *host, uint64_t address,
			 struct sampled_module *out);
void code_mappings_forget(struct code_rules *rules);

#endif
