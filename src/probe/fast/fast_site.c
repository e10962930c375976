/*
 * fast_site.c - making the trampoline of a site: the code by which a thread
 * records what the breakpoints of the site need
 */
#include <stdlib.h>
#include <string.h>

#include "fast_site.h"
#include "perftool/base/alloc.h"
#include "perftool/base/hash.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/go_program.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/ring.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

/* ---- fast sites by number ------------------------------------------------ */

struct fast_site *fast_site_find(const struct probe *probe, uint32_t number)
{
	return number && number <= probe->fast.sites.count
		       ? probe->fast.sites.data[number - 1]
		       : NULL;
}

void fast_site_unref(struct fast_site *fast)
{
	if (!fast || --fast->users)
		return;
	fast->probe->fast.sites.data[fast->number - 1] = NULL;
	for (size_t i = 0; i < fast->part_count; i++)
		attachment_unref(fast->parts[i].attachment);
	free(fast);
}

/* ---- the places of trampolines ------------------------------------------- */

static size_t granules(const struct trampoline *trampoline)
{
	return (trampoline->length + ARCH_SLOT_SIZE - 1U) / ARCH_SLOT_SIZE;
}

static uint64_t granule(uint64_t address)
{
	return address & ~(uint64_t)(ARCH_SLOT_SIZE - 1);
}

struct fast_site *fast_site_at(const struct space *space, uint64_t address)
{
	struct fast_site *fast =
		map_get(&space->fast.trampolines, granule(address));

	return fast && address - fast->trampoline.address <
				       fast->trampoline.length
		       ? fast
		       : NULL;
}

static void note_place(struct space *space, struct fast_site *fast)
{
	for (size_t i = 0; i < granules(&fast->trampoline); i++)
		map_set(&space->fast.trampolines,
			fast->trampoline.address + i * ARCH_SLOT_SIZE, fast);
}

/* Keep the trampoline's memory for the next trampoline of this site. When the
 * next one is written, all threads are stopped and none is inside the
 * memory. */
static void set_aside(struct fast_space *fast, uint64_t site,
		      const struct trampoline *trampoline)
{
	struct spare_trampoline spare = {trampoline->address,
					 granules(trampoline)};
	size_t number = (uintptr_t)map_get(&fast->spare_of, site);

	if (number) {
		fast->spares.data[number - 1] = spare;
		return;
	}
	vec_push(&fast->spares, spare);
	map_set(&fast->spare_of, site, (void *)(uintptr_t)fast->spares.count);
}

/* Find the memory that was set aside for a site; NULL if there is none. */
static struct spare_trampoline *find_spare(const struct fast_space *fast,
					   uint64_t site)
{
	size_t number = (uintptr_t)map_get(&fast->spare_of, site);
	struct spare_trampoline *spare =
		number ? &fast->spares.data[number - 1] : NULL;

	return spare && spare->address ? spare : NULL;
}

void fast_site_drop(struct space *space, struct site *site)
{
	struct fast_site *fast = site->fast;

	if (!fast)
		return;
	set_aside(&space->fast, site->address, &fast->trampoline);
	for (size_t i = 0; i < granules(&fast->trampoline); i++)
		map_remove(&space->fast.trampolines,
			   fast->trampoline.address + i * ARCH_SLOT_SIZE);
	site->fast = NULL;
	fast_site_unref(fast);
}

/* ---- what the breakpoints need ------------------------------------------- */

static enum fast_when when_of(const struct site *site,
			      const struct attachment *attachment)
{
	if (attachment->role == ROLE_JUMP_IF)
		return FAST_JUMP_TAKEN;
	/* Exits that are not written as a jump are a condition:
	 * exit_condition.c. */
	return attachment->role == ROLE_JUMP_INDIRECT &&
			       site->insn.kind == INSN_JUMP_INDIRECT
		       ? FAST_JUMP_LEAVES
		       : FAST_ALWAYS;
}

/* Does the attachment know a rule for the CFA? Then the record must contain the
 * register from which the CFA is computed. */
static bool wants_base(const struct attachment *attachment, uint8_t *base)
{
	if (!attachment->has_cfa || attachment->cfa.reg > 15)
		return false;
	*base = (uint8_t)attachment->cfa.reg;
	return true;
}

static const char *add_ranges(struct trampoline_spec *spec,
			      const struct attachment *attachment)
{
	const struct range_list *ranges = &attachment->ranges;

	if (ranges->count > FAST_RANGES)
		return "its function consists of too many pieces";
	if (spec->range_count && spec->range_count != ranges->count)
		return "the breakpoints at this address are exits of different "
		       "functions";
	spec->range_count = ranges->count;
	for (size_t i = 0; i < ranges->count; i++)
		spec->inside[i] = (struct fast_range){ranges->data[i].low,
						      ranges->data[i].high};
	spec->entry = attachment->function.address + attachment->module->bias;
	return NULL;
}

/* Can the attachments at this site agree on `when`, the one test that the
 * trampoline makes of the site's jump? One breakpoint may count an indirect
 * jump only if it leaves the function, and others whenever it is reached. */
static bool agree_when(struct trampoline_spec *spec, enum fast_when when)
{
	if (when == FAST_ALWAYS) {
		spec->whichever |= 1U << spec->part_count;
		return spec->when != FAST_JUMP_TAKEN;
	}
	if (when == FAST_JUMP_TAKEN && spec->whichever)
		return false;
	if (spec->when != FAST_ALWAYS && spec->when != when)
		return false;
	spec->when = when;
	return true;
}

/* Do the breakpoints of the site agree on one base register, from which the CFA
 * is computed, and on one test of the jump? */
static const char *agree(struct trampoline_spec *spec, struct fast_site *fast,
			 const struct site *site,
			 const struct attachment *attachment, bool *has_base)
{
	enum fast_when when = when_of(site, attachment);
	uint8_t base;

	if (!agree_when(spec, when))
		return "the breakpoints at this address count different "
		       "outcomes of its jump";
	if (wants_base(attachment, &base)) {
		if (*has_base && base != fast->base)
			return "the breakpoints at this address find their "
			       "frames by different registers";
		fast->base = base;
		spec->base = fast_register(base);
		*has_base = true;
	}
	return when == FAST_JUMP_LEAVES ? add_ranges(spec, attachment) : NULL;
}

/* Does the stack pointer point to a stack at the attachment's place? It does at
 * the beginning and the end of a function, and where call frame information
 * describes the code. In other code, written in assembly, it may point
 * anywhere. */
static bool stack_is_known(const struct attachment *attachment)
{
	struct module *module = attachment->module;

	if (attachment->role == ROLE_PLACE ||
	    attachment->role == ROLE_CALL_INDIRECT)
		return attachment->has_cfa;
	return (function_is_known(&attachment->function) &&
		!attachment->function.untyped) ||
	       (module &&
		debugfile_has_frame(module_file(module),
				    attachment->address - module->bias));
}

/* Is the site in a Go program? The linker of Go has computed how much room a
 * stack needs, and a trampoline must not use more. */
static bool is_go(const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		struct module *module = site->attachments.data[i]->module;

		if (module && debugfile_go(module_file(module)))
			return true;
	}
	return false;
}

/*
 * Decide where the trampoline saves registers. As a rule it saves them in the
 * thread's block of the ring memory. But in a program that survives the tool,
 * signals may find threads in a trampoline after the tool has died, and a new
 * thread then has the block of the thread that made it. So in such a program,
 * registers are saved on the stack, and the site can only be a jump if it is
 * certain that there is a stack. The ABI allows the frame of a signal to be
 * written to the same memory.
 */
static const char *save_place(const struct space *space,
			      const struct site *site,
			      struct trampoline_spec *spec)
{
	if (!space->process->survives)
		return NULL;
	spec->life = space->fast.life;
	if (!spec->life && trampoline_follows_pointers(spec))
		return "an expression follows a pointer, and the program would "
		       "not notice that perftool was killed";
	if (is_go(site))
		return NULL;
	spec->on_stack = true;
	for (size_t i = 0; i < site->attachments.count; i++)
		if (!stack_is_known(site->attachments.data[i]))
			return "perftool does not know whether it may use the "
			       "stack there";
	return NULL;
}

/* The records have the words of texts behind the values. Returns NULL, or the
 * reason why they have no room for them, a constant. */
static const char *place_texts(const struct trampoline_spec *spec,
			       struct fast_site *fast)
{
	uint32_t next = (uint32_t)spec->value_count;

	for (size_t i = 0; i < spec->value_count; i++) {
		fast->values[i].text_words = spec->text_words[i];
		fast->values[i].text = (uint8_t)next;
		next += spec->text_words[i];
	}
	return next > RING_VALUES_MOST
		       ? "it needs more texts than the record of a hit can hold"
		       : NULL;
}

static const char *make_spec(const struct probe *probe, struct space *space,
			     const struct site *site,
			     struct trampoline_spec *spec,
			     struct fast_site *fast)
{
	bool has_base = false;
	const char *refusal;

	fast->of_tails = 0;
	fast->is_counting = fast->cannot_count = false;
	fast->again = fast->comes = false;
	fast->first = TRAMPOLINE_NOTES_NOTHING;
	fast->call = TRAMPOLINE_NO_CALL;
	fast->of_calls = 0;
	*spec = (struct trampoline_spec){.insn = &site->insn,
					 .cookie = probe->rings.cookie,
					 .ordered = probe->fast.ordered,
					 .base = fast_register(CFA_RSP)};
	fast->base = CFA_RSP;
	for (size_t i = 0; i < site->attachments.count; i++) {
		struct attachment *at = site->attachments.data[i];

		if (!at->breakpoint->enabled)
			continue;
		if (spec->part_count == FAST_PARTS)
			return "there are too many breakpoints at this address";
		refusal = agree(spec, fast, site, at, &has_base);
		if (!refusal)
			refusal = fast_compile(probe, space, site, at, spec,
					       fast);
		if (refusal)
			return refusal;
	}
	if (!spec->part_count) {
		/* one of the tool's own sites */
		spec->part_count = 1;
		choose_calibration(site, spec);
		return NULL;
	}
	fast->part_count = spec->part_count;
	refusal = place_texts(spec, fast);
	if (!refusal)
		refusal = save_place(space, site, spec);
	return refusal ? refusal : choose_counting(space, spec, fast);
}

/* ---- making trampolines -------------------------------------------------- */

static uint64_t hash_of(const struct trampoline_code *code)
{
	return hash_bytes(HASH_START, code->bytes, code->trampoline.length);
}

/* The number that the trampoline writes into its records: the fast site's
 * number, combined with how many cells a record has. */
static uint32_t record_number(uint32_t number, size_t values)
{
	return number << RING_SITE_SHIFT | (ring_cells((uint32_t)values) - 1);
}

/* Would the new trampoline have the same code as the present one? */
static bool is_same(const struct site *site, struct trampoline_spec *spec,
		    struct trampoline_code *code)
{
	const struct fast_site *old = site->fast;
	struct error *error;

	if (!old)
		return false;
	spec->site = record_number(old->number, trampoline_values(spec));
	error = trampoline_build(spec, old->trampoline.address,
				 site->slot.address, code);
	if (error) {
		error_destroy(error);
		return false;
	}
	return old->hash == hash_of(code);
}

static bool has_same_parts(const struct fast_site *a, const struct fast_site *b)
{
	if (a->part_count != b->part_count ||
	    memcmp(a->values, b->values, sizeof(a->values)) != 0)
		return false;
	for (size_t i = 0; i < a->part_count; i++) {
		const struct fast_part *one = &a->parts[i], *two = &b->parts[i];

		if (one->attachment != two->attachment ||
		    one->value != two->value || one->keys != two->keys ||
		    one->key_count != two->key_count ||
		    one->labels != two->labels ||
		    one->label_count != two->label_count)
			return false;
	}
	return true;
}

static bool build(const struct site *site, const struct trampoline_spec *spec,
		  uint64_t address, struct trampoline_code *code,
		  const char **refusal)
{
	struct error *error =
		trampoline_build(spec, address, site->slot.address, code);

	if (!error)
		return true;
	error_destroy(error);
	*refusal = "no trampoline can be built for it";
	return false;
}

/* Build the trampoline in new memory. A thread may be inside of memory that was
 * in use before, so that memory must not be given to another site. */
static struct error *build_anew(struct space *space, const struct site *site,
				const struct trampoline_spec *spec,
				struct trampoline_code *code,
				const char **refusal)
{
	const struct module *module = space_module_at(space, site->address);
	uint64_t low = module ? module->low : site->address;
	uint64_t high = module ? module->high : site->address + 1;
	struct error *error;
	uint64_t address;

	error = store_find_room(space, STORE_FAST_CODE, low, high,
				TRAMPOLINE_SIZE / ARCH_SLOT_SIZE, &address);
	if (error) {
		*refusal = "perftool cannot map memory for its trampoline";
		return error_only(error, ERROR_GONE);
	}
	return build(site, spec, address, code, refusal)
		       ? fast_site_write(space, code)
		       : NULL;
}

static struct error *write_trampoline(struct space *space,
				      const struct site *site,
				      const struct trampoline_spec *spec,
				      struct trampoline_code *code,
				      const char **refusal)
{
	struct spare_trampoline *spare =
		find_spare(&space->fast, site->address);

	if (spare && build(site, spec, spare->address, code, refusal) &&
	    granules(&code->trampoline) <= spare->granules) {
		spare->address = 0;
		return target_write(space->process, code->trampoline.address,
				    code->bytes, code->trampoline.length);
	}
	return *refusal ? NULL : build_anew(space, site, spec, code, refusal);
}

struct error *fast_site_write(struct space *space,
			      const struct trampoline_code *code)
{
	const struct trampoline *trampoline = &code->trampoline;

	TRY(target_write(space->process, trampoline->address, code->bytes,
			 trampoline->length));
	return store_take(space, trampoline->address, granules(trampoline));
}

struct fast_site *fast_site_keep(struct probe *probe, struct space *space,
				 const struct fast_site *wanted,
				 const struct trampoline_code *code)
{
	const struct trampoline *trampoline = &code->trampoline;
	size_t size = trampoline->point_count * sizeof(*trampoline->points);
	struct fast_site *fast = xmalloc(sizeof(*fast) + size);

	*fast = *wanted;
	memcpy(fast->points, trampoline->points, size);
	fast->trampoline = *trampoline;
	fast->trampoline.points = fast->points;
	fast->hash = hash_of(code);
	fast->users = 1;
	fast->probe = probe;
	for (size_t i = 0; i < fast->part_count; i++)
		fast->parts[i].attachment->users++;
	vec_push(&probe->fast.sites, fast);
	note_place(space, fast);
	return fast;
}

const char *fast_site_refuses(const struct probe *probe, struct space *space,
			      const struct site *site)
{
	struct fast_site unused = {0};
	struct trampoline_spec spec;

	return make_spec(probe, space, site, &spec, &unused);
}

bool fast_site_is_current(const struct probe *probe, struct space *space,
			  const struct site *site)
{
	struct fast_site wanted = {.purpose = site->purpose};
	struct trampoline_code code;
	struct trampoline_spec spec;

	return !make_spec(probe, space, site, &spec, &wanted) &&
	       is_same(site, &spec, &code) &&
	       has_same_parts(site->fast, &wanted);
}

struct error *fast_site_make(struct probe *probe, struct space *space,
			     struct site *site, const char **refusal)
{
	struct fast_site wanted = {.purpose = site->purpose};
	struct trampoline_code code;
	struct trampoline_spec spec;

	*refusal = make_spec(probe, space, site, &spec, &wanted);
	if (*refusal)
		return NULL;
	if (is_same(site, &spec, &code) && has_same_parts(site->fast, &wanted))
		return NULL;
	wanted.number = (uint32_t)probe->fast.sites.count + 1;
	spec.site = record_number(wanted.number, trampoline_values(&spec));
	TRY(write_trampoline(space, site, &spec, &code, refusal));
	if (*refusal)
		return NULL;
	fast_site_drop(space, site);
	site->fast = fast_site_keep(probe, space, &wanted, &code);
	return NULL;
}
