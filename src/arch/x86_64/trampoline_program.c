/*
 * trampoline_program.c - programs (fast_node.h) as machine code
 *
 * The top of a program's stack is in rax. The rest of the stack is in the
 * scratch of the thread's block.
 */
#include <stddef.h>
#include <string.h>

#include "perftool/ring.h"
#include "trampoline.h"

uint8_t fast_register(unsigned dwarf)
{
	/* DWARF's order: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp */
	static const uint8_t first[] = {0, 2, 1, 3, 6, 7, 5, 4};

	return (uint8_t)(dwarf < sizeof(first) ? first[dwarf] : dwarf);
}

bool fast_add(struct fast_program *program, struct fast_step step)
{
	if (program->count == FAST_STEPS)
		return false;
	program->steps[program->count++] = step;
	return true;
}

/* How many numbers a step takes from the stack. Every step leaves one
 * number. */
static unsigned taken(const struct fast_step *step)
{
	if (step->operation <= FAST_MEMORY)
		return 0;
	if (step->operation == FAST_CHOOSE)
		return 3;
	return step->operation <= FAST_REMAINDER ? 1 : 2;
}

bool fast_is_sound(const struct fast_program *program)
{
	unsigned depth = 0;

	for (size_t i = 0; i < program->count; i++) {
		const struct fast_step *step = &program->steps[i];
		bool divides = step->operation == FAST_DIVIDE ||
			       step->operation == FAST_REMAINDER;

		if (depth < taken(step) || step->operation > FAST_CHOOSE ||
		    step->reg > 15)
			return false;
		if (step->operation == FAST_LOAD &&
		    (int64_t)step->number != (int32_t)step->number)
			return false;
		if (divides &&
		    (step->number == 0 || step->number == UINT64_MAX))
			return false;
		depth += 1 - taken(step);
		if (depth > FAST_STACK)
			return false;
	}
	return depth == 1;
}

static void extend(struct builder *builder, const struct fast_step *step)
{
	switch (step->size) {
	case 1:
		if (step->is_signed)
			CODE(builder, "\x48\x0f\xbe\xc0"); /* movsx rax, al */
		else
			CODE(builder, "\x0f\xb6\xc0"); /* movzx eax, al */
		break;
	case 2:
		if (step->is_signed)
			CODE(builder, "\x48\x0f\xbf\xc0"); /* movsx rax, ax */
		else
			CODE(builder, "\x0f\xb7\xc0"); /* movzx eax, ax */
		break;
	case 4:
		if (step->is_signed)
			CODE(builder, "\x48\x98"); /* cdqe */
		else
			CODE(builder, "\x89\xc0"); /* mov eax, eax */
		break;
	}
}

/* Emit sal, shr or sar of rax. */
static void shift(struct builder *builder, uint8_t operation, uint64_t count)
{
	CODE(builder, "\x48\xc1");
	emit_u8(&builder->emit, operation);
	emit_u8(&builder->emit, (uint8_t)count);
}

static void divide(struct builder *builder, const struct fast_step *step)
{
	emit_load(&builder->emit, RCX, step->number);
	if (step->is_signed)
		CODE(builder, "\x48\x99\x48\xf7\xf9"); /* cqo; idiv rcx */
	else
		CODE(builder, "\x31\xd2\x48\xf7\xf1"); /* xor edx, edx;
							  div rcx */
	if (step->operation == FAST_REMAINDER)
		CODE(builder, "\x48\x89\xd0"); /* mov rax, rdx */
}

/* Compare rcx with rax, and set rax to 1 if the condition holds, else to 0.
 * `condition` is the number of the condition in opcodes. */
static void compare(struct builder *builder, uint8_t condition)
{
	CODE(builder, "\x48\x39\xc1\x0f"); /* cmp rcx, rax; set.. */
	emit_u8(&builder->emit, 0x90 | condition);
	CODE(builder, "\xc0\x0f\xb6\xc0"); /* al; movzx eax, al */
}

static void test_both(struct builder *builder, const char *combine)
{
	CODE(builder, "\x48\x85\xc9\x0f\x95\xc1"   /* test rcx, rcx; setne cl */
		      "\x48\x85\xc0\x0f\x95\xc0"); /* test rax, rax; setne al */
	emit_bytes(&builder->emit, combine, 2);
	CODE(builder, "\x0f\xb6\xc0"); /* movzx eax, al */
}

enum { BELOW = 2, EQUAL = 4, NOT_EQUAL, BELOW_EQUAL, ABOVE, ABOVE_EQUAL = 3 };
enum { LESS = 12, GREATER_EQUAL, LESS_EQUAL, GREATER };

/* Emit an operation on two numbers. The top of the stack is in rax, the number
 * below the top is in rcx. */
static void binary(struct builder *builder, const struct fast_step *step)
{
	bool is_signed = step->is_signed;

	switch (step->operation) {
	case FAST_ADD:
		CODE(builder, "\x48\x01\xc8"); /* add rax, rcx */
		break;
	case FAST_SUBTRACT: /* sub rcx, rax; mov rax, rcx */
		CODE(builder, "\x48\x29\xc1\x48\x89\xc8");
		break;
	case FAST_MULTIPLY:
		CODE(builder, "\x48\x0f\xaf\xc1"); /* imul rax, rcx */
		break;
	case FAST_AND:
		CODE(builder, "\x48\x21\xc8");
		break;
	case FAST_OR:
		CODE(builder, "\x48\x09\xc8");
		break;
	case FAST_XOR:
		CODE(builder, "\x48\x31\xc8");
		break;
	case FAST_BOTH:
		test_both(builder, "\x20\xc8"); /* and al, cl */
		break;
	case FAST_EITHER:
		test_both(builder, "\x08\xc8"); /* or al, cl */
		break;
	case FAST_EQUAL:
		compare(builder, EQUAL);
		break;
	case FAST_NOT_EQUAL:
		compare(builder, NOT_EQUAL);
		break;
	case FAST_LESS:
		compare(builder, is_signed ? LESS : BELOW);
		break;
	case FAST_LESS_EQUAL:
		compare(builder, is_signed ? LESS_EQUAL : BELOW_EQUAL);
		break;
	case FAST_GREATER:
		compare(builder, is_signed ? GREATER : ABOVE);
		break;
	case FAST_GREATER_EQUAL:
		compare(builder, is_signed ? GREATER_EQUAL : ABOVE_EQUAL);
		break;
	}
}

static void operand(struct builder *builder, const struct fast_step *step)
{
	switch (step->operation) {
	case FAST_CONSTANT:
		emit_load(&builder->emit, RAX, step->number);
		break;
	case FAST_REGISTER:
		load_register(builder, RAX, step->reg);
		break;
	case FAST_FRAME:
		load_register(builder, RAX, step->reg);
		load_memory(builder, step->size, step->is_signed,
			    (int32_t)step->number);
		break;
	case FAST_THREAD: /* mov rax, fs:[number] */
		CODE(builder, "\x64\x48\x8b\x04\x25");
		emit_u32(&builder->emit, (uint32_t)step->number);
		break;
	case FAST_MEMORY:
		emit_load(&builder->emit, RAX, step->number);
		load_memory(builder, step->size, step->is_signed, 0);
		break;
	}
}

static void follow(struct builder *builder, const struct fast_step *step)
{
	CODE(builder, "\x48\x85\xc0"   /* test rax, rax */
		      "\x74\x07"       /* jz over the next instruction */
		      "\x48\x8b\x80"); /* mov rax, [rax + number] */
	emit_u32(&builder->emit, (uint32_t)step->number);
}

/* The size of what emit_check() emits. */
#define CHECK_SIZE 48

/*
 * Emit the test whether rax is in a range that the thread may read. `limit` is
 * the offset of the range's size in struct ring_readable. If it is in none, the
 * tool makes the hit. The code changes rcx and rdx.
 */
static void emit_check(struct builder *builder, size_t limit)
{
	const size_t ranges = offsetof(struct ring_header, readable);
	const size_t start = builder->emit.length;

	CODE(builder, "\x31\xd2"       /* xor edx, edx */
		      "\x48\x89\xc1"); /* next: mov rcx, rax */
	/* sub rcx, gs:[rdx + low]; cmp rcx, gs:[rdx + limit] */
	on_header(builder, "\x48\x2b\x8a", 3,
		  ranges + offsetof(struct ring_readable, low));
	on_header(builder, "\x48\x3b\x8a", 3, ranges + limit);
	CODE(builder, "\x72\x19"     /* jb over all that follows */
		      "\x83\xc2\x18" /* add edx, 24 */
		      "\x81\xfa");   /* cmp edx, .. */
	emit_u32(&builder->emit, RING_READABLE * sizeof(struct ring_readable));
	CODE(builder, "\x72\xe0"); /* jb next */
	store_in_header(builder, RAX, offsetof(struct ring_header, unread));
	jump(builder, LABEL_FOREIGN);
	builder->overflow |= !builder->emit.overflow &&
			     builder->emit.length - start != CHECK_SIZE;
}

_Static_assert(sizeof(struct ring_readable) == 24, "the distance of ranges");

static void load(struct builder *builder, const struct fast_step *step)
{
	if (step->number) {
		CODE(builder, "\x48\x8d\x80"); /* lea rax, [rax + number] */
		emit_u32(&builder->emit, (uint32_t)step->number);
	}
	emit_check(builder, offsetof(struct ring_readable, numbers));
	load_memory(builder, step->size, step->is_signed, 0);
}

void keep_text(struct builder *builder, unsigned words)
{
	keep_register(builder, RAX);
	/* A null pointer has no text: words of the block are recorded. */
	CODE(builder, "\x48\x85\xc0" /* test rax, rax */
		      "\x75\x0b");   /* jnz to the check */
	load_from_header(builder, RAX, offsetof(struct ring_header, self));
	CODE(builder, "\xeb"); /* jmp over the check */
	emit_u8(&builder->emit, CHECK_SIZE);
	emit_check(builder, offsetof(struct ring_readable, texts));
	/* If the text is not there any more, the thread faults here, before it
	 * has counted anything: mov rcx, [rax]; mov rcx, [rax + ..] */
	CODE(builder, "\x48\x8b\x08\x48\x8b\x48");
	emit_u8(&builder->emit, (uint8_t)(8 * (words - 1)));
	keep_register(builder, RAX);
}

static void unary(struct builder *builder, const struct fast_step *step)
{
	switch (step->operation) {
	case FAST_FOLLOW:
		follow(builder, step);
		break;
	case FAST_LOAD:
		load(builder, step);
		break;
	case FAST_EXTEND:
		extend(builder, step);
		break;
	case FAST_NEGATE:
		CODE(builder, "\x48\xf7\xd8");
		break;
	case FAST_COMPLEMENT:
		CODE(builder, "\x48\xf7\xd0");
		break;
	case FAST_NOT: /* test rax, rax; sete al; movzx eax, al */
		CODE(builder, "\x48\x85\xc0\x0f\x94\xc0\x0f\xb6\xc0");
		break;
	case FAST_LEFT:
		shift(builder, 0xe0, step->number);
		break;
	case FAST_RIGHT:
		shift(builder, step->is_signed ? 0xf8 : 0xe8, step->number);
		break;
	case FAST_DIVIDE:
	case FAST_REMAINDER:
		divide(builder, step);
		break;
	}
}

/* Emit the choice of FAST_CHOOSE. The third number, which is the top of the
 * stack, is in rax. */
static void choose(struct builder *builder)
{
	take_register(builder, RCX);
	take_register(builder, RDX);
	CODE(builder, "\x48\x85\xd2"       /* test rdx, rdx */
		      "\x48\x0f\x45\xc1"); /* cmovne rax, rcx */
}

void emit_program(struct builder *builder, const struct fast_program *program)
{
	unsigned depth = 0;

	for (size_t i = 0; i < program->count; i++) {
		const struct fast_step *step = &program->steps[i];

		switch (taken(step)) {
		case 0:
			if (depth++)
				keep_register(builder, RAX);
			operand(builder, step);
			break;
		case 1:
			unary(builder, step);
			break;
		case 3:
			choose(builder);
			depth -= 2;
			break;
		default:
			take_register(builder, RCX);
			depth--;
			binary(builder, step);
			break;
		}
	}
}
