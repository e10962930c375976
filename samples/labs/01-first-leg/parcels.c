/*
 * parcels.c - a post office that receives, handles and loads parcels
 *
 * Every parcel is received, weighed, stamped and loaded. Some are weighed
 * again, and some are wrapped.
 */
#include <stdint.h>
#include <stdio.h>

enum { PARCELS = 3000 };

struct parcel {
	unsigned grams, side;
	uint64_t code;
};

static uint64_t random_state = 1;
static uint64_t loaded;

static unsigned random_below(unsigned bound)
{
	random_state =
		random_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(random_state >> 33) % bound;
}

void receive(struct parcel *parcel)
{
	parcel->grams = 100 + random_below(9900);
	parcel->side = 10 + random_below(30);
	parcel->code = random_state;
}

void weigh(struct parcel *parcel)
{
	for (unsigned grams = 0; grams < 1000; grams += 10)
		parcel->code += grams ^ (parcel->code >> 3);
}

void wrap(struct parcel *parcel)
{
	for (unsigned x = 0; x < 2 * parcel->side; x++)
		for (unsigned y = 0; y < 10 * parcel->side; y++)
			parcel->code += (x * y) ^ (parcel->code >> 5);
}

void stamp(struct parcel *parcel)
{
	for (unsigned bit = 0; bit < 1500; bit++)
		parcel->code ^= parcel->code << 1 ^ bit;
}

void load(struct parcel *parcel)
{
	loaded += parcel->code & 0xff;
}

static void handle(struct parcel *parcel)
{
	weigh(parcel);
	if (parcel->grams % 3 != 0)
		weigh(parcel);
	if (parcel->side > 30)
		wrap(parcel);
	stamp(parcel);
}

int main(void)
{
	for (unsigned i = 0; i < PARCELS; i++) {
		struct parcel parcel;

		receive(&parcel);
		handle(&parcel);
		load(&parcel);
	}
	printf("%d parcels are loaded (%lu).\n", PARCELS,
	       (unsigned long)loaded);
	return 0;
}
