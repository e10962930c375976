/*
 * program_costs.h - how long the program was on CPUs, and what hits cost it:
 * from both follows the time that was its own
 */
#ifndef SESSION_PROGRAM_COSTS_H
#define SESSION_PROGRAM_COSTS_H

#include "session/session_state.h"

/* Which processes were on CPUs, and for how long. */
struct program_cpu {
	uint64_t ns;
	size_t processes;
	int64_t pids; /* their sum */
};

struct program_cpu program_cpu(const struct session *session);
/* Sets for how long the program was on CPUs between two looks. Returns false if
 * the processes are other ones, whose times cannot be compared. */
bool program_cpu_between(const struct program_cpu *from,
			 const struct program_cpu *to, double *ns);

/* What a hit of each mechanism costs, in ns. */
struct hit_costs {
	double fast, int3;
};

/* As the calibrations of the measurement have found, and as the samples of the
 * program's threads say of hits at jumps in this run. */
struct hit_costs program_hit_costs(const struct session *session,
				   const struct measure *measure);

#endif
