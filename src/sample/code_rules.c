/* code_rules.c - what is known of code addresses; see code_rules.h */
#include "code_rules.h"

#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/go_program.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"

#define FIRST_CAPACITY 1024
/* The table is emptied when it has so many addresses: code that is made at run
 * time has no end of them. */
#define MOST_RULES 1000000

/* The index of rbp in `unwind_registers`. */
#define UNWIND_SAVED_RBP 1

struct code_rules *code_rules_create(struct process *process)
{
	struct code_rules *rules = xcalloc(1, sizeof(*rules));

	rules->process = process;
	return rules;
}

static void forget(struct code_rules *rules)
{
	free(rules->table);
	rules->table = NULL;
	rules->capacity = rules->count = 0;
	vec_clear(&rules->modules);
	code_mappings_forget(rules);
}

static void forget_vdso(struct code_rules *rules)
{
	rules->vdso = (struct sampled_module){0};
	rules->scripts_low = rules->scripts_high = 0;
	rules->is_vdso_sought = false;
}

void code_rules_destroy(struct code_rules *rules)
{
	if (!rules)
		return;
	forget(rules);
	forget_vdso(rules);
	vec_free(&rules->modules);
	free(rules);
}

bool code_rules_is_current(const struct code_rules *rules,
			   const struct sampler_host *host)
{
	return rules->generation ==
	       host->generation(host->context, rules->process);
}

void code_rules_age(struct code_rules *rules)
{
	for (size_t i = 0; i < rules->modules.count; i++) {
		struct sampled_module *module = &rules->modules.data[i];

		module->file = NULL;
		module->begin = module->end = 0;
	}
	forget_vdso(rules);
}

void code_rules_renew(struct code_rules *rules, const struct sampler_host *host)
{
	if (code_rules_is_current(rules, host))
		return;
	forget(rules);
	forget_vdso(rules);
	rules->generation = host->generation(host->context, rules->process);
}

/* ---- the vdso ---------------------------------------------------------- */

static void find_vdso(struct code_rules *rules, const struct sampler_host *host)
{
	struct mapping_list maps;
	struct error *error = target_read_maps(rules->process->pid, &maps);

	rules->is_vdso_sought = true;
	if (error) {
		error_destroy(error);
		return;
	}
	for (size_t i = 0; i < maps.count; i++) {
		const struct mapping *map = &maps.data[i];
		uint64_t end = map->high, low, high;

		if (strcmp(map->path, "[vdso]") != 0)
			continue;
		error = target_vdso_room(rules->process, &low, &high);
		if (!error) {
			rules->scripts_low = end = low;
			rules->scripts_high = high;
		}
		error_destroy(error);
		if (!host->find_vdso ||
		    !host->find_vdso(host->context, rules->process, map->low,
				     end, &rules->vdso))
			rules->vdso = (struct sampled_module){.bias = map->low,
							      .begin = map->low,
							      .end = end};
	}
	mapping_list_deinit(&maps);
}

bool code_rules_has_script(struct code_rules *rules,
			   const struct sampler_host *host, uint64_t address)
{
	if (!rules->is_vdso_sought)
		find_vdso(rules, host);
	return address >= rules->scripts_low && address < rules->scripts_high;
}

/* ---- rules ------------------------------------------------------------- */

bool module_has_code(const struct sampled_module *module, uint64_t address)
{
	struct range range;

	if (!module->file)
		return true;
	for (size_t i = 0; debugfile_code(module->file, i, &range); i++)
		if (address - module->bias >= range.low &&
		    address - module->bias < range.high)
			return true;
	return false;
}

const struct sampled_module *code_rules_module(struct code_rules *rules,
					       const struct sampler_host *host,
					       uint64_t address)
{
	struct sampled_module module;

	for (size_t i = 0; i < rules->modules.count; i++)
		if (address >= rules->modules.data[i].begin &&
		    address < rules->modules.data[i].end)
			return &rules->modules.data[i];
	if (host->find_module(host->context, rules->process, address,
			      &module)) {
		vec_push(&rules->modules, module);
		return &rules->modules.data[rules->modules.count - 1];
	}
	if (!rules->is_vdso_sought)
		find_vdso(rules, host);
	if (address >= rules->vdso.begin && address < rules->vdso.end) {
		vec_push(&rules->modules, rules->vdso);
		return &rules->modules.data[rules->modules.count - 1];
	}
	if (code_mapping_module(rules, host, address, &module)) {
		vec_push(&rules->modules, module);
		return &rules->modules.data[rules->modules.count - 1];
	}
	return NULL;
}

/* Are the instructions at `pc` those that return from a signal handler (mov
 * $15, %rax or %eax; syscall)? */
static bool is_sigreturn(struct process *process, uint64_t pc)
{
	static const uint8_t codes[][9] = {
		{0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05},
		{0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05},
	};
	static const size_t sizes[] = {9, 7};
	uint8_t bytes[9];

	if (!target_read_callback(process, pc, bytes, sizeof(bytes)))
		return false;
	return !memcmp(bytes, codes[0], sizes[0]) ||
	       !memcmp(bytes, codes[1], sizes[1]);
}

/* bytes: the longest call with a prefix or a displacement, and a page */
#define LONGEST_CALL 7
#define PAGE_BYTES 4096

/* May the address, which is in no module, be a return address? There is a call
 * in front of it then: call rel32, whose first byte may be a breakpoint's, or
 * ff /2, whose ModRM byte may be followed by others. */
static bool is_behind_call(struct process *process, uint64_t pc)
{
	uint8_t code[LONGEST_CALL] = {0};
	uint64_t size = sizeof(code);

	/* The code may begin with this call, and so may the mapping. */
	if (!target_read_callback(process, pc - size, code, size)) {
		size = pc % PAGE_BYTES;
		if (size >= sizeof(code) ||
		    !target_read_callback(process, pc - size,
					  code + sizeof(code) - size, size))
			return false;
	}
	if (code[2] == 0xe8 || code[2] == ARCH_INT3)
		return true;
	for (size_t length = 2; length <= size; length++) {
		const uint8_t *at = code + sizeof(code) - length;

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2)
			return true;
	}
	return false;
}

/*
 * What the call frame information that Go writes lacks. A function that has
 * called another one has its caller's frame pointer below its return address,
 * if it has a frame. The outermost functions are not marked.
 */
static void add_go(struct debugfile *file, uint64_t address,
		   struct code_rule *rule)
{
	struct unwind_row *row = &rule->row;

	rule->role = debugfile_go_role(file, address);
	if (rule->role == GO_OUTERMOST)
		row->kind = UNWIND_END;
	else if (row->kind == UNWIND_PLAIN && !rule->is_exact &&
		 row->cfa_offset >= 16 && debugfile_is_go_code(file, address))
		row->saved[UNWIND_SAVED_RBP] = -16;
}

static void look_up(struct code_rules *rules, const struct sampler_host *host,
		    uint64_t pc, struct code_rule *rule)
{
	const struct sampled_module *module;

	code_mappings_expect(rules, host, pc - !rule->is_exact);
	module = code_rules_module(rules, host, pc - !rule->is_exact);
	rule->address = pc;
	rule->row.kind = UNWIND_NONE;
	if (module) {
		rule->module = (uint32_t)(module - rules->modules.data) + 1;
		if (module->number)
			rule->address = pc - module->bias;
	}
	if (module && module->file) {
		uint64_t address = pc - module->bias;

		debugfile_unwind_row(module->file, address, &rule->row);
		/* A handler of a signal returns to the first instruction of a
		 * signal frame, before which there is no call. */
		if (rule->row.is_signal_frame)
			rule->is_exact = true;
		else if (!rule->is_exact)
			debugfile_unwind_row(module->file, address - 1,
					     &rule->row);
		if (debugfile_go(module->file))
			add_go(module->file, address - !rule->is_exact, rule);
	}
	if (rule->row.kind == UNWIND_NONE && is_sigreturn(rules->process, pc)) {
		rule->row.kind = RULE_SIGRETURN;
		rule->row.is_signal_frame = true;
		rule->is_exact = true;
	}
	if (!rule->is_exact)
		rule->is_no_code = module ? !module_has_code(module, pc - 1)
					  : !is_behind_call(rules->process, pc);
}

static void insert(struct code_rules *rules, const struct code_rule *rule)
{
	size_t i = rule_slot(rule->key, rules->capacity);

	while (rules->table[i].key)
		i = (i + 1) & (rules->capacity - 1);
	rules->table[i] = *rule;
	rules->count++;
}

static void grow(struct code_rules *rules)
{
	struct code_rule *old = rules->table;
	size_t capacity = rules->capacity;

	rules->capacity = capacity ? 2 * capacity : FIRST_CAPACITY;
	rules->table = xcalloc(rules->capacity, sizeof(*rules->table));
	rules->count = 0;
	for (size_t i = 0; i < capacity; i++)
		if (old[i].key)
			insert(rules, &old[i]);
	free(old);
}

const struct code_rule *code_rules_add(struct code_rules *rules,
				       const struct sampler_host *host,
				       uint64_t pc, bool is_exact)
{
	struct code_rule rule = {.key = rule_key(pc, is_exact),
				 .is_exact = is_exact};
	size_t i;

	if (rules->count >= MOST_RULES)
		forget(rules);
	look_up(rules, host, pc, &rule);
	if (rules->count * 2 >= rules->capacity)
		grow(rules);
	insert(rules, &rule);
	i = rule_slot(rule.key, rules->capacity);
	while (rules->table[i].key != rule.key)
		i = (i + 1) & (rules->capacity - 1);
	return &rules->table[i];
}
