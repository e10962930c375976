/*
 * allocates.cc - allocations whose number and size are known
 *
 * Each function allocates in its own way, and the program prints for each of
 * them how many allocations it made that succeeded, and how many words of 8
 * bytes these are. Several of these ways end in a tail jump: calloc() jumps to
 * memset(), for example. They are taken so often that the tool makes jumps of
 * the places where it can.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <pthread.h>

#define KEPT __attribute__((noinline, noclone))

/* The compiler must not leave out an allocation that nobody uses. */
static void *volatile kept;

static KEPT void by_malloc()
{
	for (int i = 0; i < 10; i++) {
		kept = malloc(17);
		free(kept);
	}
}

static KEPT void by_calloc()
{
	for (int i = 0; i < 5; i++) {
		kept = calloc(3, 8);
		free(kept);
	}
}

/* So many bytes are cleared by memset(). */
static KEPT void by_clearing()
{
	for (int i = 0; i < 200; i++) {
		kept = calloc(4, 40);
		free(kept);
	}
}

static KEPT void by_realloc()
{
	kept = realloc(nullptr, 8);
	kept = realloc(kept, 800);
	kept = realloc(kept, 80);
	free(kept);
}

static KEPT void by_strdup(const char *text)
{
	for (int i = 0; i < 4; i++) {
		kept = strdup(text);
		free(kept);
	}
}

static KEPT void by_alignment()
{
	void *memory = nullptr;

	if (posix_memalign(&memory, 64, 128) == 0)
		kept = memory;
	free(memory);
	kept = aligned_alloc(64, 192);
	free(kept);
}

static KEPT void by_many_alignments()
{
	for (int i = 0; i < 50; i++) {
		kept = aligned_alloc(64, 128);
		free(kept);
		kept = memalign(64, 128);
		free(kept);
		kept = valloc(128);
		free(kept);
		kept = pvalloc(4096);
		free(kept);
		kept = reallocarray(nullptr, 4, 32);
		free(kept);
	}
}

struct object {
	int64_t members[5];
};

static KEPT void by_new()
{
	for (int i = 0; i < 6; i++) {
		object *made = new object;

		kept = made;
		delete made;
	}
}

static KEPT void by_new_array()
{
	for (int i = 0; i < 2; i++) {
		char *made = new char[100];

		kept = made;
		delete[] made;
	}
}

struct alignas(64) wide {
	int64_t members[8];
};

static KEPT void by_new_forms()
{
	for (int i = 0; i < 50; i++) {
		char *first = new (std::nothrow) char[64];
		wide *second = new wide, *third = new wide[2];
		wide *fourth = new (std::nothrow) wide[1];

		kept = first;
		delete[] first;
		kept = second;
		delete second;
		kept = third;
		delete[] third;
		kept = fourth;
		delete[] fourth;
	}
}

/* None of these succeeds. */
static KEPT void by_failures(size_t much)
{
	void *memory = nullptr;

	kept = malloc(much);
	kept = calloc(much, 16);
	kept = realloc(nullptr, much);
	if (posix_memalign(&memory, 3, 8) == 0)
		abort();
	kept = new (std::nothrow) char[much];
	try {
		kept = ::operator new(much);
	} catch (const std::bad_alloc &) {
	}
}

static KEPT void *in_thread(void *unused)
{
	for (int i = 0; i < 100; i++) {
		kept = malloc(8);
		free(const_cast<void *>(kept));
	}
	return unused;
}

int main(int argc, char **)
{
	pthread_t threads[4];

	by_malloc();
	by_calloc();
	by_clearing();
	by_realloc();
	by_strdup(argc > 1000 ? "" : "fifteen letters");
	by_alignment();
	by_many_alignments();
	by_new();
	by_new_array();
	by_new_forms();
	by_failures(SIZE_MAX / 2 - static_cast<size_t>(argc));
	for (pthread_t &thread : threads)
		pthread_create(&thread, nullptr, in_thread, nullptr);
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	puts("by_malloc 10 30\nby_calloc 5 15\nby_clearing 200 4000\n"
	     "by_realloc 3 111\nby_strdup 4 8\nby_alignment 2 40\n"
	     "by_many_alignments 250 28800\nby_new 6 30\n"
	     "by_new_array 2 26\nby_new_forms 200 2000\n"
	     "by_failures 0 0\nin_thread 400 400");
	return 0;
}
