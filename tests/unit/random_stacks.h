/*
 * random_stacks.h - sets of recorded stacks, made by hand or at random, for the
 * tests of what is computed from them
 */
#ifndef TEST_RANDOM_STACKS_H
#define TEST_RANDOM_STACKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/profile/call_stacks.h"

/* A generator whose numbers depend on the seed alone (xorshift64*). */
struct randomness {
	uint64_t state; /* not 0 */
};

static inline uint64_t random_number(struct randomness *random)
{
	random->state ^= random->state >> 12;
	random->state ^= random->state << 25;
	random->state ^= random->state >> 27;
	return random->state * 0x2545f4914f6cdd1dULL;
}

static inline uint32_t random_below(struct randomness *random, uint32_t limit)
{
	return (uint32_t)((random_number(random) >> 32) % limit);
}

/* The procedure of a name that begins with a letter, or of a wait: its name
 * begins with `waiting.`. */
static inline uint32_t stacks_procedure(struct call_stacks *stacks,
					const char *name)
{
	bool is_wait = strncmp(name, "waiting.", 8) == 0;
	const struct procedure procedure = {.name = name,
					    .module = is_wait ? "" : "prog",
					    .file = is_wait ? NULL : "prog.c",
					    .is_wait = is_wait};

	return procedures_number(&stacks->procedures, &procedure);
}

/* Adds a sample of a thread, with a stack that is written as its procedures,
 * outermost first, such as "main f g". A name may end in `:` and a line, which
 * is that of the call or of what executes; the address is 0x1000 plus 16 times
 * the line. A name that ends in `!` is an inlined call. The stack is broken if
 * the text begins with "? ". */
static inline void stacks_add_of_thread(struct call_stacks *stacks,
					const char *text, uint64_t weight,
					enum sample_reason reason,
					uint32_t thread)
{
	uint32_t places[64];
	size_t depth = 0;
	bool is_broken = strncmp(text, "? ", 2) == 0;
	char names[1024], *rest = names;

	snprintf(names, sizeof(names), "%s", text + (is_broken ? 2 : 0));
	for (char *word; (word = strsep(&rest, " "));) {
		struct call_place place = {0};
		size_t length = strlen(word);
		char *line;

		if (!length)
			continue;
		if (word[length - 1] == '!') {
			word[length - 1] = '\0';
			place.is_inlined = true;
		}
		line = strrchr(word, ':');
		if (line && line[1] >= '0' && line[1] <= '9') {
			*line = '\0';
			place.line = (uint32_t)atoi(line + 1);
		}
		place.procedure = stacks_procedure(stacks, word);
		if (strncmp(word, "waiting.", 8) != 0) {
			place.file = place.line ? "src/prog.c" : NULL;
			place.address = 0x1000 + place.line * 16;
		}
		places[63 - depth++] = call_stacks_place(stacks, &place);
	}
	call_stacks_add(stacks, &(struct call_sample){
					.stack = call_stacks_stack(
						stacks, places + 64 - depth,
						depth, is_broken),
					.thread = thread,
					.reason = reason,
					.weight = weight});
}

static inline void stacks_add_text(struct call_stacks *stacks, const char *text,
				   uint64_t weight, enum sample_reason reason)
{
	stacks_add_of_thread(stacks, text, weight, reason, 0);
}

/* Adds up to `most` stacks of up to `depth` frames of `count` procedures A, B,
 * C...: with recursion and cycles, some of them empty, some broken, some that
 * wait. `inlines`: some calls are inlined. */
static inline void stacks_add_random(struct call_stacks *stacks,
				     struct randomness *random, uint32_t most,
				     uint32_t depth, uint32_t count,
				     bool inlines)
{
	uint32_t stacks_left = random_below(random, most + 1);

	while (stacks_left-- > 0) {
		uint32_t frames = random_below(random, depth + 1);
		char text[512] = "";
		size_t at = 0;

		if (random_below(random, 6) == 0)
			at += (size_t)snprintf(text, sizeof(text), "? ");
		/* most stacks begin alike, as those of programs do */
		if (random_below(random, 4))
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "A:1 ");
		while (frames-- > 0)
			at += (size_t)snprintf(
				text + at, sizeof(text) - at, "%c:%u%s ",
				'A' + (char)random_below(random, count),
				random_below(random, 3),
				inlines && !random_below(random, 5) ? "!" : "");
		if (random_below(random, 5) == 0)
			snprintf(text + at, sizeof(text) - at, "waiting.read");
		stacks_add_text(stacks, text, 1 + random_below(random, 5),
				SAMPLE_TICK);
	}
}

/* Adds some stacks of the same procedures A, B, C..., at most `count`, that
 * have changed some of their places, with a procedure X below them. Some stacks
 * lack one of the procedures. */
static inline void stacks_add_permuted(struct call_stacks *stacks,
				       struct randomness *random,
				       uint32_t count)
{
	uint32_t stacks_left = 2 + random_below(random, 4);
	char order[27] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	count = 2 + random_below(random, count - 1);
	while (stacks_left-- > 0) {
		uint32_t lacks = random_below(random, 4 * count);
		uint32_t swaps = random_below(random, 4);
		char text[256] = "";
		size_t at = 0;

		while (swaps-- > 0) {
			uint32_t i = random_below(random, count);
			uint32_t j = random_below(random, count);
			char swapped = order[i];

			order[i] = order[j];
			order[j] = swapped;
		}
		for (uint32_t i = 0; i < count; i++) {
			if (i != lacks)
				at += (size_t)snprintf(text + at,
						       sizeof(text) - at, "%c ",
						       order[i]);
		}
		snprintf(text + at, sizeof(text) - at, "X");
		stacks_add_text(stacks, text, 1, SAMPLE_TICK);
	}
}

#endif
