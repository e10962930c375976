/*
 * hit.h - the plain values that are shared by the code that produces hits and
 * the code that counts them
 *
 * Requests become probes, probes produce hits, and hits become tables. The code
 * that counts a hit need not know what has produced the hit: a stop at an int3,
 * a fast node, or a test.
 */
#ifndef PERFTOOL_BASE_HIT_H
#define PERFTOOL_BASE_HIT_H

#include <stdbool.h>
#include <stdint.h>

struct origin;

enum value_kind {
	VALUE_NONE, /* there is no value, or it could not be computed */
	VALUE_SIGNED,
	VALUE_UNSIGNED,
	VALUE_FLOAT,
};

/* The value of an expression in the form that the tables use. */
struct value {
	enum value_kind kind;
	union {
		int64_t i;
		uint64_t u;
		double f;
	};
	bool is_address; /* the value is that of a pointer, and people read it
			    in hexadecimal */
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

/* Are the two values equal as keys (values of key expressions): the same kind
 * of number, and the same number? */
bool value_equal(struct value a, struct value b);

/* The value as C would write it, or "-" if there is none. Returns `buffer`,
 * which has 32 bytes or more, or a constant. */
const char *value_format(struct value value, char buffer[static 32]);

/*
 * The name of the row in which a table that is split by an expression counts a
 * hit. The name is `text` if the expression has one (a string, or the name of
 * an enumerator), else the number. If there is neither, the expression could
 * not be evaluated. `text` lives as long as the hit.
 */
struct label {
	struct value value;
	const char *text; /* or NULL */
};

/* How the tool noticed the hit. The cost of the hit depends on this. */
enum hit_mechanism { HIT_INT3, HIT_FAST };
#define HIT_MECHANISMS 2

/* At most this many activations of a function are open in one frame to which
 * tail jumps come back. There must be a limit, because a state machine whose
 * functions jump to each other has one frame for all its work. */
#define HIT_MOST_BACK 10000

/*
 * A thread has reached a node whose condition is true. If several nodes have
 * the same address, one arrival of a thread makes several hits of the same
 * time.
 */
struct hit {
	uint32_t node;   /* the number of the breakpoint */
	uint32_t thread; /* a serial number of the thread; unlike a tid it is
			    never used again */
	int32_t pid, tid;
	uint64_t time; /* the time of the arrival, in ns of the tool's clock */
	/* the place of the breakpoint: its address in the file */
	uint64_t place;
	enum hit_mechanism mechanism;
	/* calibrated ns between the moment at which the program reached the
	 * place and `time`: the delivery of the trap and the wake-up of the
	 * tool */
	double cost_before;
	/* At an int3: `time` is when the kernel took the thread off its CPU,
	 * and not when the tool has seen that the thread had stopped. So all of
	 * `cost_before` is time on a CPU. */
	bool is_off_known;
	uint64_t frame; /* CFA of the function's frame; 0: not known */
	uint64_t stack; /* the stack that the frame is on; 0: not known */
	uint64_t sp; /* an address on that stack, at which the thread is; 0: not
			known */
	/* In a Go program: the goroutine that the thread executes (0: none),
	 * and how deep in its stack the CFA is. The depth stays the same when
	 * the runtime copies the stack to another place. */
	uint64_t goroutine, depth;
	/* At an entry: the function has left this same frame by a tail jump
	 * before, and another tail jump has brought the frame back to it. */
	bool back;
	struct value value;       /* the value for the node's histogram */
	const struct value *keys; /* values of the node's key expressions */
	uint32_t key_count;
	const struct label *labels; /* labels of its split expressions */
	uint32_t label_count;
	/* How the thread came here; NULL: that was not looked at. The maker of
	 * the hit has a reference of its own. */
	struct origin *origin;
};

#endif
