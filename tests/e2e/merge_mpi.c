/*
 * merge_mpi.c - an MPI program for merge.t: each rank calls solve() as often as
 * it has work, and rank 0 prints how often each rank has called it
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static double solve(double value, int step)
{
	double all = 0;

	/* All ranks take part in as many sums as the first one has steps. */
	if (step < 10)
		MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
	return value + all;
}

int main(int argc, char **argv)
{
	int rank, size, steps, *all;
	double value = 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	steps = 10 * (rank + 1);
	for (int i = 0; i < steps; i++)
		value = solve(value, i) * 0.5;
	all = calloc((size_t)size, sizeof(*all));
	MPI_Gather(&steps, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < size; i++)
		printf("rank %d solve %d\n", i, all[i]);
	free(all);
	MPI_Finalize();
	return value < 0;
}
