/* program_costs.c - see program_costs.h */
#include "program_costs.h"

#include <time.h>

struct program_cpu program_cpu(const struct session *session)
{
	struct program_cpu cpu = {.processes = session->followed.count};

	for (size_t i = 0; i < session->followed.count; i++) {
		const pid_t pid = session->followed.data[i].pid;
		struct timespec time;
		clockid_t clock;

		cpu.pids += pid;
		if (clock_getcpuclockid(pid, &clock) ||
		    clock_gettime(clock, &time))
			continue;
		cpu.ns += (uint64_t)time.tv_sec * 1000000000u +
			  (uint64_t)time.tv_nsec;
	}
	return cpu;
}

bool program_cpu_between(const struct program_cpu *from,
			 const struct program_cpu *to, double *ns)
{
	if (from->processes != to->processes || from->pids != to->pids ||
	    to->ns < from->ns)
		return false;
	*ns = (double)(to->ns - from->ns);
	return true;
}

struct hit_costs program_hit_costs(const struct session *session,
				   const struct measure *measure)
{
	struct measure_summary summary;
	uint64_t samples;
	double factor = probe_cost_in_run(session->probe, &samples);

	measure_get_summary(measure, clock_now(&session->clock), &summary);
	return (struct hit_costs){.fast = summary.calibration[HIT_FAST].cost *
					  (samples && factor > 1 ? factor : 1),
				  .int3 = summary.calibration[HIT_INT3].cost};
}
