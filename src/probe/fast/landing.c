/*
 * landing.c - landings: where the jump in place of a short instruction leads
 *
 * The displacement of such a jump cannot be chosen freely: its last bytes are
 * those that follow the instruction. So the jump can only lead to the addresses
 * of a few windows, or to a single address. The tool maps memory there for
 * another jump, the landing, which leads on to the trampoline. Instructions
 * that are followed by the same bytes, for example those before the padding
 * behind a function, need landings at the same distances from each other as the
 * instructions themselves. So more memory is mapped than the page that is
 * needed.
 */
#include <stdlib.h>
#include <string.h>

#include "fast_site.h"
#include "perftool/target/remote_calls.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

/* Sizes of a mapping for landings. The tool maps the largest one for which
 * memory is free. */
static const uint64_t chunks[] = {1024 * 1024, 64 * 1024};
enum { CHUNKS = sizeof(chunks) / sizeof(*chunks) };
#define MOST_AREAS 4096
/* The largest number of areas for landings, if the landing is that of an
 * evicted instruction or of the site that evicts it. It is higher than
 * MOST_AREAS, because such landings can be placed beside other landings. */
#define MOST_AREAS_EVICTED 5120

/* If there are more areas than this, further ones keep away from the slots, so
 * that more slots find room near the code. */
#define MANY_AREAS (MOST_AREAS / 4)
#define ROOM_FOR_SLOTS (64UL * 1024 * 1024)

/* jmp *0(%rip), followed by the address to jump to */
#define FAR_SIZE 14
static const uint8_t far_jump[] = {0xff, 0x25, 0, 0, 0, 0};

/* The number of bytes that are reserved for a landing that may be anywhere in
 * its window. */
#define LANDING_SIZE 16

static const struct landing_area *area_at(const struct store *store,
					  uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < store->landing_areas.count; i++) {
		const struct landing_area *area = &store->landing_areas.data[i];

		if (low >= area->low && high <= area->high)
			return area;
	}
	return NULL;
}

static bool is_free(const struct fast_space *fast, uint64_t address,
		    size_t size)
{
	for (uint64_t at = address - FAR_SIZE + 1; at < address + size; at++)
		if (map_get(&fast->landings, at))
			return false;
	return true;
}

static bool is_any_left(const struct store *store, const struct site *site)
{
	return store->landing_areas.count < (site->is_evicted || site->evicts
						     ? MOST_AREAS_EVICTED
						     : MOST_AREAS);
}

/* Are the addresses [low, high) to be left to slots? */
static bool is_for_slots(const struct store *store, uint64_t low, uint64_t high)
{
	return store->landing_areas.count > MANY_AREAS &&
	       high + ROOM_FOR_SLOTS > store->address &&
	       low < store->address + ROOM_FOR_SLOTS;
}

static bool has_room(struct space *space, uint64_t low, uint64_t high)
{
	return !is_for_slots(&space->store, low, high) &&
	       space_has_room(space, low, high, high - low);
}

static struct error *map_landings(struct space *space, const struct site *site,
				  uint64_t low, uint64_t high, uint64_t size,
				  bool anywhere, const char **refusal)
{
	struct thread *thread;
	struct error *error;
	uint64_t address;

	if (!is_any_left(&space->store, site)) {
		*refusal =
			"perftool has used up its areas for targets of jumps";
		return NULL;
	}
	*refusal = "the memory that its jump could reach is in use; in another "
		   "run it may be free";
	/* That no memory is free is the most frequent failure, so finding this
	 * out must not cost a system call. */
	if (anywhere ? !space_has_room(space, low, high, size)
		     : !has_room(space, low, high))
		return NULL;
	*refusal = "perftool cannot map the memory that its jump would lead to";
	error = space_calling_thread(space, &thread);
	if (!error)
		error = target_map_within(thread, low, high, size,
					  space->maps.start_of_heap,
					  space_heap_room(space), STORE_NAME,
					  &space->maps.list, &address);
	if (error)
		return error_only(error, ERROR_GONE);
	*refusal = NULL;
	vec_push(&space->store.landing_areas,
		 (struct landing_area){address, address + size,
				       anywhere ? address : 0});
	return NULL;
}

/* Is the window of addresses so wide that memory is free somewhere in it, and
 * that landings can lie side by side? */
static bool is_wide(const struct patch_window *window)
{
	return window->high - window->low >= 4 * chunks[CHUNKS - 1];
}

/* ---- a landing anywhere in a window -------------------------------------- */

static struct landing_area *find_area(struct store *store,
				      const struct patch_window *window)
{
	for (size_t i = 0; i < store->landing_areas.count; i++) {
		struct landing_area *area = &store->landing_areas.data[i];

		if (area->next && area->next + LANDING_SIZE <= area->high &&
		    area->next >= window->low && area->next <= window->high)
			return area;
	}
	return NULL;
}

static struct error *find_anywhere(struct space *space, const struct site *site,
				   const struct patch_window *window,
				   uint64_t *out, const char **refusal)
{
	struct landing_area *area = find_area(&space->store, window);

	if (!area)
		TRY(map_landings(space, site, window->low, window->high,
				 chunks[CHUNKS - 1], true, refusal));
	if (*refusal)
		return NULL;
	area = find_area(&space->store, window);
	*out = area->next;
	area->next += LANDING_SIZE;
	return NULL;
}

/* ---- a landing at an address --------------------------------------------- */

static uint64_t page_of(uint64_t address)
{
	return address & ~(uint64_t)(ARCH_PAGE - 1);
}

/* The page that contains the landing's address, and the next page if the
 * landing extends into it. */
static struct patch_window pages_of(uint64_t landing, size_t size)
{
	return (struct patch_window){
		.low = page_of(landing),
		.high = page_of(landing + size + ARCH_PAGE - 1)};
}

/* Map a large piece of memory around the landing if possible, else only the
 * landing's pages. */
static struct error *map_around(struct space *space, const struct site *site,
				uint64_t landing, size_t size,
				const char **refusal)
{
	struct patch_window pages = pages_of(landing, size);

	for (size_t i = 0; i < CHUNKS; i++) {
		uint64_t from = landing & ~(chunks[i] - 1);
		const char *large = NULL;

		if (landing + size > from + chunks[i])
			continue;
		TRY(map_landings(space, site, from, from + chunks[i], chunks[i],
				 false, &large));
		if (!large)
			return NULL;
	}
	return map_landings(space, site, pages.low, pages.high,
			    pages.high - pages.low, false, refusal);
}

/* Find `size` bytes in which there is no landing yet, in an area of landings,
 * at an address from `low` to `high`. Returns 0 if there are none. */
static uint64_t find_between(const struct fast_space *fast,
			     const struct landing_area *area, uint64_t low,
			     uint64_t high, size_t size)
{
	for (uint64_t at = low; !area->next && at + size <= area->high; at++) {
		if (is_free(fast, at, size))
			return at;
		/* (`high` may be the last address of the address space.) */
		if (at == high)
			break;
	}
	return 0;
}

/* The last address of the window that lies in the same page as `address`. */
static uint64_t end_in_page(const struct patch_window *window, uint64_t address)
{
	uint64_t last = page_of(address) + ARCH_PAGE - 1;

	return last < window->high ? last : window->high;
}

static struct error *find_exactly(struct space *space, const struct site *site,
				  const struct patch_window *window,
				  size_t size, uint64_t *out,
				  const char **refusal)
{
	const struct fast_space *fast = &space->fast;
	uint64_t low = window->low, high;

	for (; low <= window->high; low = high + 1) {
		const struct landing_area *area =
			area_at(&space->store, low, low + size);

		high = end_in_page(window, low);
		*refusal = NULL;
		*out = low;
		if (!area)
			TRY(map_around(space, site, low, size, refusal));
		else
			*out = find_between(fast, area, low, high, size);
		if (!*out)
			*refusal = "the target of its jump would overlap the "
				   "target of another jump";
		if (!*refusal)
			break;
	}
	return NULL;
}

/* ---- the landing --------------------------------------------------------- */

static size_t encode(uint64_t from, uint64_t to, uint8_t code[FAR_SIZE])
{
	if (patch_jump(from, to, code))
		return PATCH_SIZE;
	memcpy(code, far_jump, sizeof(far_jump));
	memcpy(code + sizeof(far_jump), &to, sizeof(to));
	return FAR_SIZE;
}

/* The address to which the site's jump leads in the end: a slot or a
 * trampoline. */
static uint64_t leads_to(const struct site *site)
{
	return site->is_evicted ? site->slot.address
				: site->fast->trampoline.address;
}

static size_t size_within(const struct patch_window *window, uint64_t to)
{
	uint8_t code[FAR_SIZE];
	size_t size = encode(window->low, to, code);

	return encode(window->high, to, code) > size ? FAR_SIZE : size;
}

static struct error *find_free(struct space *space, const struct site *site,
			       const struct patch_window *window, uint64_t *out,
			       const char **refusal)
{
	if (is_wide(window))
		return find_anywhere(space, site, window, out, refusal);
	return find_exactly(space, site, window,
			    size_within(window, leads_to(site)), out, refusal);
}

static struct error *write_landing(struct space *space, struct site *site,
				   uint64_t landing)
{
	uint8_t code[FAR_SIZE];
	size_t size = encode(landing, leads_to(site), code);

	TRY(target_write(space->process, landing, code, size));
	map_set_number(&space->fast.landings, landing, site->address);
	map_set_number(&space->fast.landing_of, site->address, landing);
	return NULL;
}

/* The landing that the site had before, if the jump can reach it and the new
 * landing fits there; else 0. */
static uint64_t last_landing(const struct space *space, const struct site *site,
			     const struct patch_window *window)
{
	const struct fast_space *fast = &space->fast;
	uint64_t landing = map_get_number(&fast->landing_of, site->address);
	uint8_t code[FAR_SIZE];
	size_t size = encode(landing, leads_to(site), code);

	if (landing < window->low || landing > window->high)
		return 0;
	for (uint64_t at = landing + 1; at < landing + size; at++)
		if (map_get(&fast->landings, at))
			return 0;
	return landing;
}

struct error *find_landing(struct space *space, struct site *site,
			   const struct patch_window *window, uint64_t *landing,
			   const char **refusal)
{
	*landing = leads_to(site);
	if (*landing >= window->low && *landing <= window->high)
		return NULL;
	*landing = last_landing(space, site, window);
	if (!*landing)
		TRY(find_free(space, site, window, landing, refusal));
	if (*refusal || !site->has_slot)
		return NULL;
	return write_landing(space, site, *landing);
}

/* ---- is there room for a landing? ---------------------------------------- */

static bool may_land_at(struct space *space, const struct site *site,
			const struct patch_window *window, uint64_t landing,
			size_t size)
{
	const struct fast_space *fast = &space->fast;
	struct patch_window pages = pages_of(landing, size);
	const struct landing_area *area =
		area_at(&space->store, landing, landing + size);

	if (area)
		return find_between(fast, area, landing,
				    end_in_page(window, landing), size) != 0;
	return is_any_left(&space->store, site) &&
	       has_room(space, pages.low, pages.high);
}

bool may_land(struct space *space, const struct site *site,
	      const struct patch_window *window)
{
	size_t size = size_within(window, leads_to(site));
	uint64_t low = window->low;

	if (last_landing(space, site, window))
		return true;
	if (is_wide(window))
		return find_area(&space->store, window) ||
		       (is_any_left(&space->store, site) &&
			space_has_room(space, window->low, window->high,
				       chunks[CHUNKS - 1]));
	for (; low <= window->high; low = end_in_page(window, low) + 1)
		if (may_land_at(space, site, window, low, size))
			return true;
	return false;
}

/* ---- spaces -------------------------------------------------------------- */

void fast_space_copy(const struct fast_space *from, struct fast_space *to)
{
	*to = (struct fast_space){.has_rings = from->has_rings,
				  .resume = from->resume,
				  .refusal = from->refusal,
				  .life = from->life,
				  .counting_code = from->counting_code,
				  .counts_calls = from->counts_calls};
	counted_legs_copy(&from->counted, &to->counted);
	if (to->resume)
		to->resume->users++;
	for (size_t i = 0; i < from->spares.count; i++)
		vec_push(&to->spares, from->spares.data[i]);
	map_copy(&from->landings, &to->landings);
	map_copy(&from->landing_of, &to->landing_of);
	map_copy(&from->spare_of, &to->spare_of);
	map_copy(&from->trampolines, &to->trampolines);
}

void fast_space_deinit(struct fast_space *fast)
{
	if (fast->resume)
		fast_site_unref(fast->resume);
	counted_legs_deinit(&fast->counted);
	vec_free(&fast->spares);
	map_deinit(&fast->landings);
	map_deinit(&fast->landing_of);
	map_deinit(&fast->spare_of);
	map_deinit(&fast->trampolines);
	*fast = (struct fast_space){0};
}
