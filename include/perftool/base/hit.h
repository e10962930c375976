/*
 * hit.h - the plain values that producers of hits and counters of hits share
 *
 * Requests become probes, probes produce hits, hits become tables. Whoever
 * produced a hit (an int3 stop, a test) does not matter to whoever counts it.
 */
#ifndef PERFTOOL_BASE_HIT_H
#define PERFTOOL_BASE_HIT_H

#include <stdbool.h>
#include <stdint.h>

enum value_kind {
	VALUE_NONE, /* there is no value, or it could not be had */
	VALUE_SIGNED,
	VALUE_UNSIGNED,
	VALUE_FLOAT,
};

/* The value of an expression as the tables know it. */
struct value {
	enum value_kind kind;
	union {
		int64_t i;
		uint64_t u;
		double f;
	};
	bool is_address; /* of a pointer: people read it in hexadecimal */
};

static inline struct value value_signed(int64_t i)
{
	return (struct value){.kind = VALUE_SIGNED, .i = i};
}

static inline struct value value_unsigned(uint64_t u)
{
	return (struct value){.kind = VALUE_UNSIGNED, .u = u};
}

static inline struct value value_float(double f)
{
	return (struct value){.kind = VALUE_FLOAT, .f = f};
}

/* Equal as keys: the same kind of number and the same number. */
bool value_equal(struct value a, struct value b);

/* Append a value as C would write it; "-" for none. `buffer` of 32 or more. */
const char *value_format(struct value value, char buffer[static 32]);

/*
 * What a table that is split by an expression calls the row of a hit. A text,
 * where the expression has one (a string, an enumerator's name); else the
 * number. Neither: it could not be evaluated. `text` lives as long as the hit.
 */
struct label {
	struct value value;
	const char *text; /* or NULL */
};

/* How the hit was noticed: that is what its cost depends on. */
enum hit_mechanism { HIT_INT3, HIT_FAST };
#define HIT_MECHANISMS 2

/* How often a function that comes back to a frame is held open there. A state
 * machine whose functions jump to each other has one frame for all it does. */
#define HIT_MOST_BACK 10000

/*
 * One thread reaching one node, its condition being true. A thread that
 * arrives where several nodes sit makes several hits of the same time.
 */
struct hit {
	uint32_t node;   /* the breakpoint's number */
	uint32_t thread; /* a serial number, never reused, unlike a tid */
	int32_t pid, tid;
	uint64_t time; /* of the arrival; ns of the tool's clock */
	enum hit_mechanism mechanism;
	double cost_before; /* calibrated ns between the program's reaching the
			       place and `time`: trap delivery, wake-up */
	uint64_t frame;     /* CFA of the function's frame; 0: not known */
	uint64_t stack;     /* which stack the frame is on; 0: not known */
	uint64_t sp;        /* an address on that stack, where the thread is;
			       0: not known */
	/* Of a Go program: which goroutine the thread executes (0: none), and
	 * how deep in its stack the CFA is. A stack that is copied to another
	 * place leaves that as it was. */
	uint64_t goroutine, depth;
	/* At an entry: the function has left this very frame by a tail jump
	 * before, and a tail jump has brought it back. */
	bool back;
	struct value value;       /* for the node's histogram */
	const struct value *keys; /* values of the node's key expressions */
	uint32_t key_count;
	const struct label *labels; /* of its split expressions */
	uint32_t label_count;
};

#endif
