/*
 * test_sample_unwind.c - the frames of stacks: at each instruction, of any
 * depth, through signals, and of stacks that make no sense
 *
 * tier: core
 * covers: sample debuginfo/frames
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "perftool/target/target_events.h"
#include "target_rig.h"

#include "sample/unwinder.h"
#include "sample_rig.h"

#define NOINLINE __attribute__((noinline, used))

static struct thread *first(struct sample_rig *rig)
{
	return rig->process->threads.data[0];
}

/* ---- each instruction -------------------------------------------------- */

/* Code without a frame pointer, with its call frame information, and code that
 * has none: a leaf function, and one that pushes. */
__asm__(".text\n"
	".type described, @function\n"
	"described:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_rel_offset %rbx, 0\n"
	"	sub $24, %rsp\n"
	"	.cfi_adjust_cfa_offset 24\n"
	"	mov %rdi, %rbx\n"
	"	call bare_leaf\n"
	"	add %rbx, %rax\n"
	"	add $24, %rsp\n"
	"	.cfi_adjust_cfa_offset -24\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	.cfi_restore %rbx\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size described, . - described\n"
	".type bare_leaf, @function\n"
	"bare_leaf:\n"
	"	lea 1(%rdi), %rax\n"
	"	imul %rdi, %rax\n"
	"	ret\n"
	".size bare_leaf, . - bare_leaf\n"
	".type bare, @function\n"
	"bare:\n"
	"	push %rbx\n"
	"	sub $16, %rsp\n"
	"	mov %rdi, %rbx\n"
	"	call described\n"
	"	lea (%rax,%rbx), %rax\n"
	"	add $16, %rsp\n"
	"	pop %rbx\n"
	"	ret\n"
	".size bare, . - bare\n");
long described(long value);
long bare(long value);

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

NOINLINE static long variable_size(size_t size)
{
	char *text = __builtin_alloca(size);

	snprintf(text, size, "%zu", size);
	return text[0];
}

NOINLINE static long leaf(long value)
{
	return value * 3 + 1;
}

NOINLINE static long tail(long value)
{
	return leaf(value + 1);
}

/* In a build with sanitizers, all functions keep frame pointers. The caller of
 * a function that keeps none, and has called another one, is then passed over:
 * see caller_guess.c. */
#ifdef __SANITIZE_ADDRESS__
#define bare described
#define LEAST_GUESSED 4
#else
#define LEAST_GUESSED 20
#endif

/* Calls into libc, through the PLT for the first time, and back. */
NOINLINE static long work(long value)
{
	int numbers[] = {3, 1, 2};

	qsort(numbers, 3, sizeof(*numbers), compare);
	value += described(numbers[0]) + variable_size(100 + (size_t)value);
	value += tail(value) + strtol("42", NULL, 0) + bare(value);
	return value;
}

NOINLINE static void step_subject(struct shared *shared)
{
	long sum = 0;

	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop))
		;
	for (int i = 0; i < 2; i++)
		sum += work(sum);
	atomic_store(&shared->counters[0], 1 + (unsigned long)(sum & 1));
	for (;;)
		;
}

/* The return addresses that are on the stack, as the instructions have pushed
 * them. */
struct truth {
	uint64_t data[256];
	size_t count;
};

/* What the instruction at the pc will do to the stack of return addresses. */
static void foresee(struct thread *thread, struct insn *out)
{
	uint8_t bytes[ARCH_MAX_INSN];
	uint64_t pc, sp;

	assert_ok(target_get_pc(thread, &pc, &sp));
	assert_ok(target_read(thread->process, pc, bytes, sizeof(bytes)));
	assert_ok(arch_decode(bytes, sizeof(bytes), pc, out));
}

/* Does a copy of the stack from the stack pointer on, as the kernel makes it,
 * lead to the same frames? (It lacks what has just been popped.) */
static bool is_same_by_copy(struct sample_rig *rig, struct code_rules *rules,
			    struct thread *thread)
{
	static struct sampled_frame_list frames;
	static struct stack_reader reader;
	static uint8_t bytes[4096];
	const struct sampler_host host = {.context = rig,
					  .find_module = rig_find_module,
					  .generation = rig_generation};
	struct user_regs_struct regs;
	struct unwind_place place;
	bool is_same;

	assert_ok(target_get_regs(thread, &regs));
	assert_ok(target_read(thread->process, regs.rsp, bytes, sizeof(bytes)));
	unwind_place_init(&place, &regs);
	stack_reader_copy(&reader, bytes, regs.rsp, sizeof(bytes));
	vec_clear(&frames);
	unwind(rules, &host, &reader, &place, &frames);
	/* the frames further out are beyond the copy */
	is_same = frames.count > 1 && frames.count <= rig->frames.count;
	for (size_t i = 0; is_same && i < frames.count; i++)
		is_same = frames.data[i].address == rig->frames.data[i].address;
	if (!is_same)
		vec_free(&frames);
	return is_same;
}

static void callers_are_right_at_each_instruction(void **state)
{
	struct sample_rig rig;
	struct truth truth = {.count = 0};
	unsigned steps = 0, wrong = 0, guessed = 0;
	struct code_rules *rules;
	size_t base;

	(void)state;
	sample_rig_start(&rig, step_subject);
	assert_true(rig_unwind(&rig, first(&rig)));
	base = rig.frames.count;
	assert_string_equal(rig_name(&rig, &rig.frames.data[0]),
			    "step_subject");
	rules = code_rules_create(rig.process);
	atomic_store(&rig.rig.shared->stop, 1);
	while (!atomic_load(&rig.rig.shared->counters[0])) {
		struct thread *thread = first(&rig);
		struct insn insn;
		bool is_right;

		foresee(thread, &insn);
		assert_ok(target_step(thread));
		steps++;
		if (insn.kind == INSN_CALL || insn.kind == INSN_CALL_INDIRECT)
			truth.data[truth.count++] = insn.address + insn.length;
		else if (insn.kind == INSN_RETURN)
			truth.count--;
		is_right = rig_unwind(&rig, thread) &&
			   rig.frames.count == base + truth.count;
		for (size_t i = 0; is_right && i < truth.count; i++)
			is_right = rig_address(&rig, &rig.frames.data[i + 1]) ==
				   truth.data[truth.count - 1 - i];
		is_right = is_right && is_same_by_copy(&rig, rules, thread);
		guessed += strncmp(rig_name(&rig, &rig.frames.data[0]), "bare",
				   4) == 0;
		if (is_right)
			continue;
		if (!wrong++) {
			print_message("# step %u, truth:\n", steps);
			for (size_t i = truth.count; i-- > 0;)
				print_message("# %#lx\n", truth.data[i]);
			rig_print(&rig);
		}
	}
	print_message("# %u steps, %u in code without information, %u wrong\n",
		      steps, guessed, wrong);
	assert_int_equal(wrong, 0);
	assert_true(steps > 1000 && guessed >= LEAST_GUESSED);
	code_rules_destroy(rules);
	sample_rig_end(&rig);
}

/* ---- depth ------------------------------------------------------------- */

static volatile long sink;

NOINLINE static void descend(struct shared *shared, long depth)
{
	if (depth > 1) {
		descend(shared, depth - 1);
	} else {
		atomic_store(&shared->ready, 1);
		while (!atomic_load(&shared->stop))
			atomic_fetch_add(&shared->counters[0], 1);
	}
	sink++;
}

#define DEEP 100000

static void *deep_thread(void *shared)
{
	descend(shared, DEEP);
	return NULL;
}

NOINLINE static void deep_subject(struct shared *shared)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64UL << 20);
	pthread_create(&thread, &attr, deep_thread, shared);
	pthread_join(thread, NULL);
}

static void depth_is_not_limited(void **state)
{
	struct sample_rig rig;
	struct thread *thread;

	(void)state;
	sample_rig_start(&rig, deep_subject);
	assert_int_equal(rig.process->threads.count, 2);
	thread = rig.process->threads.data[1];
	assert_true(rig_unwind(&rig, thread));
	assert_int_equal(rig_count_name(&rig, "descend"), DEEP);
	/* to the function that the C library begins a thread with */
	assert_true(rig.frames.count > DEEP + 1 && rig.frames.count < DEEP + 5);
	sample_rig_end(&rig);
}

/* ---- signals ----------------------------------------------------------- */

static struct shared *handler_shared;

NOINLINE static void nested(int depth)
{
	if (depth > 1)
		nested(depth - 1);
	else
		raise(SIGUSR2);
	sink++;
}

static void on_first(int signal)
{
	(void)signal;
	nested(5);
	sink++;
}

static void on_second(int signal)
{
	(void)signal;
	atomic_store(&handler_shared->ready, 1);
	for (;;)
		atomic_fetch_add(&handler_shared->counters[0], 1);
}

/* The first handler has a stack of its own, which is above or below the other
 * as it happens; it is interrupted in turn. */
NOINLINE static void signal_subject(struct shared *shared)
{
	stack_t stack = {.ss_size = 65536, .ss_sp = malloc(65536)};
	struct sigaction one = {.sa_handler = on_first, .sa_flags = SA_ONSTACK};
	struct sigaction two = {.sa_handler = on_second};
	/* (The compiler must not see that nothing is there.) */
	volatile int *volatile nowhere = (volatile int *)16;

	handler_shared = shared;
	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &one, NULL);
	sigaction(SIGUSR2, &two, NULL);
	*nowhere = 1;
}

static void signal_frames_lead_to_what_was_interrupted(void **state)
{
	static const char *const names[] = {
		"on_second", "?",      "*raise",        "nested",
		"nested",    "nested", "nested",        "nested",
		"on_first",  "?",      "signal_subject"};
	struct sample_rig rig;
	size_t at = 0;

	(void)state;
	sample_rig_start(&rig, signal_subject);
	assert_true(rig_unwind(&rig, first(&rig)));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++, at++) {
		const char *name = rig_name(&rig, &rig.frames.data[at]);

		assert_true(at < rig.frames.count);
		/* raise() is some functions of libc */
		if (names[i][0] == '*') {
			while (strcmp(rig_name(&rig, &rig.frames.data[at + 1]),
				      "nested") != 0)
				at++;
			continue;
		}
		if (names[i][0] == '?') {
			assert_true(rig.frames.data[at].is_exact);
			assert_true(rig.frames.data[at + 1].is_exact);
			continue;
		}
		assert_string_equal(name, names[i]);
	}
	sample_rig_end(&rig);
}

/* ---- nonsense ---------------------------------------------------------- */

static void nonsense_ends(void **state)
{
	struct sample_rig rig;
	struct user_regs_struct regs, wild;
	unsigned broken = 0;
	uint64_t random = 12345;

	(void)state;
	sample_rig_start(&rig, rig_count_in_threads);
	assert_ok(target_get_regs(first(&rig), &regs));
	for (unsigned i = 0; i < 20000; i++) {
		bool is_broken;
		uint8_t *bytes = (uint8_t *)&wild;

		wild = regs;
		for (unsigned k = 0; k < 4; k++) {
			random = random * 6364136223846793005 +
				 1442695040888963407;
			switch (random >> 60) {
			case 0 ... 3:
				bytes[(random >> 33) % sizeof(wild)] ^=
					(uint8_t)(random >> 20);
				break;
			case 4 ... 7:
				wild.rsp += (random >> 33) % 4096 * 8;
				break;
			case 8 ... 11:
				wild.rbp = wild.rsp + (random >> 40) % 256;
				break;
			default:
				wild.rip = regs.rip - 65536 +
					   (random >> 33) % 131072;
				break;
			}
		}
		vec_clear(&rig.frames);
		sampler_unwind(rig.sampler, rig.process, &wild, &rig.frames,
			       &is_broken);
		assert_true(rig.frames.count >= 1);
		broken += is_broken;
	}
	assert_true(broken > 1000 && broken < 20000);
	sample_rig_end(&rig);
}

/* ---- data that looks like a return address ------------------------------ */

/* The last bytes are those of a call. */
static uint8_t data[64] = {[62] = 0xff, [63] = 0xd0};

/* Like the host that a session is: the data of a file are in its module, too.
 */
static bool find_with_data(void *context, struct process *process,
			   uint64_t address, struct sampled_module *out)
{
	const uint64_t begin = (uintptr_t)data, end = begin + sizeof(data) + 1;

	if (rig_find_module(context, process, address, out))
		return true;
	if (address < begin || address >= end ||
	    !rig_find_module(context, process, (uintptr_t)bare, out))
		return false;
	out->begin = begin;
	out->end = end;
	return true;
}

/* Unwind a stack whose innermost function has no call frame information.
 * Returns the caller, or 0. */
static uint64_t caller_of_bare(struct sample_rig *rig, const uint64_t *stack,
			       size_t size, size_t frame_pointer)
{
	const struct sampler_host host = {.context = rig,
					  .find_module = find_with_data,
					  .generation = rig_generation};
	struct code_rules *rules = code_rules_create(rig->process);
	struct sampled_frame_list frames = {0};
	struct user_regs_struct regs;
	struct stack_reader reader;
	struct unwind_place place;
	uint64_t caller;

	assert_ok(target_get_regs(first(rig), &regs));
	regs.rip = (uintptr_t)bare;
	regs.rbp = regs.rsp + frame_pointer * sizeof(*stack);
	unwind_place_init(&place, &regs);
	stack_reader_copy(&reader, stack, regs.rsp, size);
	unwind(rules, &host, &reader, &place, &frames);
	caller = frames.count > 1 ? rig_address(rig, &frames.data[1]) : 0;
	vec_free(&frames);
	code_rules_destroy(rules);
	return caller;
}

static void data_is_no_return_address(void **state)
{
	uint64_t stack[8] = {0}, real;
	struct sample_rig rig;

	(void)state;
	sample_rig_start(&rig, step_subject);
	assert_true(rig_unwind(&rig, first(&rig)));
	real = rig_address(&rig, &rig.frames.data[1]);
	stack[2] = (uintptr_t)data + sizeof(data);
	stack[5] = real;
	/* the chain of frame pointers leads to data, and so does the first
	 * word that looks like a return address */
	assert_int_equal(caller_of_bare(&rig, stack, sizeof(stack), 1), real);
	stack[5] = 0;
	assert_int_equal(caller_of_bare(&rig, stack, sizeof(stack), 1), 0);
	stack[2] = real;
	assert_int_equal(caller_of_bare(&rig, stack, sizeof(stack), 1), real);
	sample_rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_are_right_at_each_instruction),
		cmocka_unit_test(depth_is_not_limited),
		cmocka_unit_test(signal_frames_lead_to_what_was_interrupted),
		cmocka_unit_test(nonsense_ends),
		cmocka_unit_test(data_is_no_return_address),
	};

	return cmocka_run_group_tests_name("sample_unwind", tests, NULL, NULL);
}
