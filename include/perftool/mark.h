/*
 * mark.h - marks: static probes that a program has in its own code
 *
 *	PERFTOOL_MARK(shop, order_paid, order->id, price);
 *
 * A mark costs one `nop` and, where its arguments are not at hand already, the
 * instructions that compute them. The header needs no library: it writes the
 * provider, the name, the address and the place of each argument as a note
 * into the file (section .note.stapsdt, in the form that the macros of
 * SystemTap's sys/sdt.h have made common). perftool, gdb, bpftrace and others
 * find marks by these notes. In perftool's command language the place is
 * `probe:shop:order_paid`, and `$arg1` is the first argument.
 *
 * `provider` and `name` are written without quotes. At most 12 arguments may
 * follow: integers, enumerations and pointers, which are evaluated each time
 * that the mark is passed. Others, such as a double, do not compile.
 *
 * The compiler does not know that somebody may read what a pointer points to.
 * An object that nothing else needs may not be in memory when the mark is
 * passed.
 */
#ifndef PERFTOOL_MARK_H
#define PERFTOOL_MARK_H

#pragma GCC system_header

#ifdef __x86_64__

/*
 * The size of an argument in bytes, below 0 if its type is signed: what the
 * note needs. An array counts as a pointer.
 */
#ifdef __cplusplus
template <class type> struct perftool_mark_takes_ {
	static const bool it = true;
};
template <> struct perftool_mark_takes_<float> {
	static const bool it = false;
};
template <> struct perftool_mark_takes_<double> {
	static const bool it = false;
};
template <> struct perftool_mark_takes_<long double> {
	static const bool it = false;
};
template <class type> struct perftool_mark_sign_ {
#if __cplusplus >= 201103L
	static_assert(perftool_mark_takes_<type>::it,
		      "a mark takes integers, enumerations and pointers");
#endif
	char number[(type)-1 < (type)1 ? 1 : 2];
};
template <class type> struct perftool_mark_sign_<type *> {
	char number[2];
};
#if __cplusplus >= 201103L
template <> struct perftool_mark_sign_<decltype(nullptr)> {
	char number[2];
};
#endif
template <class type> perftool_mark_sign_<type> perftool_mark_sign_of_(type);
template <class type> char (&perftool_mark_size_of_(type))[sizeof(type)];
template <class type>
__attribute__((always_inline)) inline type perftool_mark_value_of_(type value)
{
	return value;
}
#define PERFTOOL_MARK_VALUE_(x) perftool_mark_value_of_(x)
#define PERFTOOL_MARK_SIZE_(x)                                                 \
	((int)sizeof(perftool_mark_size_of_(x)) *                              \
	 (2 * (int)sizeof(perftool_mark_sign_of_(x)) - 3))
#else
/* GCC's classes of types: 1 to 4 are integers and enumerations, 5 is the
 * pointers. */
#define PERFTOOL_MARK_TYPE_(x)                                                 \
	__typeof__(__builtin_choose_expr(__builtin_classify_type(x) == 5, 0ul, \
					 0 ? (x) : (x)))
#define PERFTOOL_MARK_VALUE_(x) (0 ? (x) : (x))
/* 0; of any other type an error, which the compiler words by the name of the
 * structure. */
struct perftool_mark_takes_integers_enumerations_and_pointers;
#define PERFTOOL_MARK_CHECK_(x)                                                \
	(0 * (int)sizeof(__builtin_choose_expr(                                \
		     __builtin_classify_type(0 ? (x) : (x)) <= 5, 0,           \
		     *(struct                                                  \
		       perftool_mark_takes_integers_enumerations_and_pointers  \
			       *)0)))
#define PERFTOOL_MARK_SIZE_(x)                                                 \
	(PERFTOOL_MARK_CHECK_(x) +                                             \
	 (int)sizeof(0 ? (x) : (x)) *                                          \
		 ((PERFTOOL_MARK_TYPE_(x)) - 1 < (PERFTOOL_MARK_TYPE_(x))1     \
			  ? -1                                                 \
			  : 1))
#endif

/* In the template of an assembler statement, %nX is the constant X with its
 * sign turned. */
#define PERFTOOL_MARK_F_(n) "%n[s" #n "]@%[a" #n "]"
#define PERFTOOL_MARK_O_(n, x)                                                 \
	[s##n] "n"(-(PERFTOOL_MARK_SIZE_(x))),                                 \
		[a##n] "nor"(PERFTOOL_MARK_VALUE_(x))

/*
 * The nop, and its note: the lengths of name and description and the type 3;
 * the owner; the addresses of the nop, of .stapsdt.base and of a semaphore,
 * which a mark does not have; the three texts. A tool that moves the sections
 * of the file (prelink) does not know of the notes, so that readers have to
 * correct the address by what .stapsdt.base has moved.
 */
#define PERFTOOL_MARK_ASM_(provider, name, formats, ...)                       \
	__asm__ __volatile__(                                                  \
		"990:	nop\n"                                                   \
		"	.pushsection .note.stapsdt,\"?\",\"note\"\n"                 \
		"	.balign 4\n"                                                 \
		"	.4byte 992f-991f, 994f-993f, 3\n"                            \
		"991:	.asciz \"stapsdt\"\n"                                    \
		"992:	.balign 4\n"                                             \
		"993:	.8byte 990b\n"                                           \
		"	.8byte _.stapsdt.base\n"                                     \
		"	.8byte 0\n"                                                  \
		"	.asciz \"" #provider "\"\n"                            \
		"	.asciz \"" #name "\"\n"                                \
		"	.asciz \"" formats "\"\n"                              \
		"994:	.balign 4\n"                                             \
		"	.popsection\n"                                               \
		"	.ifndef _.stapsdt.base\n"                                    \
		"	.pushsection .stapsdt.base,\"aG\",\"progbits\","             \
		".stapsdt.base,comdat\n"                                       \
		"	.weak _.stapsdt.base\n"                                      \
		"	.hidden _.stapsdt.base\n"                                    \
		"_.stapsdt.base:	.space 1\n"                                   \
		"	.size _.stapsdt.base, 1\n"                                   \
		"	.popsection\n"                                               \
		"	.endif\n" ::__VA_ARGS__)

/* The formats and the operands of so many arguments. The macros for operands
 * ignore what follows the arguments. */
/* clang-format off */
#define PERFTOOL_MARK_F0_ ""
#define PERFTOOL_MARK_F1_ PERFTOOL_MARK_F_(1)
#define PERFTOOL_MARK_F2_ PERFTOOL_MARK_F1_ " " PERFTOOL_MARK_F_(2)
#define PERFTOOL_MARK_F3_ PERFTOOL_MARK_F2_ " " PERFTOOL_MARK_F_(3)
#define PERFTOOL_MARK_F4_ PERFTOOL_MARK_F3_ " " PERFTOOL_MARK_F_(4)
#define PERFTOOL_MARK_F5_ PERFTOOL_MARK_F4_ " " PERFTOOL_MARK_F_(5)
#define PERFTOOL_MARK_F6_ PERFTOOL_MARK_F5_ " " PERFTOOL_MARK_F_(6)
#define PERFTOOL_MARK_F7_ PERFTOOL_MARK_F6_ " " PERFTOOL_MARK_F_(7)
#define PERFTOOL_MARK_F8_ PERFTOOL_MARK_F7_ " " PERFTOOL_MARK_F_(8)
#define PERFTOOL_MARK_F9_ PERFTOOL_MARK_F8_ " " PERFTOOL_MARK_F_(9)
#define PERFTOOL_MARK_F10_ PERFTOOL_MARK_F9_ " " PERFTOOL_MARK_F_(10)
#define PERFTOOL_MARK_F11_ PERFTOOL_MARK_F10_ " " PERFTOOL_MARK_F_(11)
#define PERFTOOL_MARK_F12_ PERFTOOL_MARK_F11_ " " PERFTOOL_MARK_F_(12)
#define PERFTOOL_MARK_O0_(...) "i"(0)
#define PERFTOOL_MARK_O1_(a, ...) PERFTOOL_MARK_O_(1, a)
#define PERFTOOL_MARK_O2_(a, b, ...) \
	PERFTOOL_MARK_O1_(a, ), PERFTOOL_MARK_O_(2, b)
#define PERFTOOL_MARK_O3_(a, b, c, ...) \
	PERFTOOL_MARK_O2_(a, b, ), PERFTOOL_MARK_O_(3, c)
#define PERFTOOL_MARK_O4_(a, b, c, d, ...) \
	PERFTOOL_MARK_O3_(a, b, c, ), PERFTOOL_MARK_O_(4, d)
#define PERFTOOL_MARK_O5_(a, b, c, d, e, ...) \
	PERFTOOL_MARK_O4_(a, b, c, d, ), PERFTOOL_MARK_O_(5, e)
#define PERFTOOL_MARK_O6_(a, b, c, d, e, f, ...) \
	PERFTOOL_MARK_O5_(a, b, c, d, e, ), PERFTOOL_MARK_O_(6, f)
#define PERFTOOL_MARK_O7_(a, b, c, d, e, f, g, ...) \
	PERFTOOL_MARK_O6_(a, b, c, d, e, f, ), PERFTOOL_MARK_O_(7, g)
#define PERFTOOL_MARK_O8_(a, b, c, d, e, f, g, h, ...) \
	PERFTOOL_MARK_O7_(a, b, c, d, e, f, g, ), PERFTOOL_MARK_O_(8, h)
#define PERFTOOL_MARK_O9_(a, b, c, d, e, f, g, h, i, ...) \
	PERFTOOL_MARK_O8_(a, b, c, d, e, f, g, h, ), PERFTOOL_MARK_O_(9, i)
#define PERFTOOL_MARK_O10_(a, b, c, d, e, f, g, h, i, j, ...) \
	PERFTOOL_MARK_O9_(a, b, c, d, e, f, g, h, i, ), PERFTOOL_MARK_O_(10, j)
#define PERFTOOL_MARK_O11_(a, b, c, d, e, f, g, h, i, j, k, ...) \
	PERFTOOL_MARK_O10_(a, b, c, d, e, f, g, h, i, j, ), PERFTOOL_MARK_O_(11, k)
#define PERFTOOL_MARK_O12_(a, b, c, d, e, f, g, h, i, j, k, l, ...) \
	PERFTOOL_MARK_O11_(a, b, c, d, e, f, g, h, i, j, k, ), PERFTOOL_MARK_O_(12, l)
/* How many arguments follow the name: the last argument before `count'. */
#define PERFTOOL_MARK_COUNTED_(p, n, a, b, c, d, e, f, g, h, i, j, k, l, \
		count, ...) count
#define PERFTOOL_MARK_COUNT_(...) \
	PERFTOOL_MARK_COUNTED_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, \
		2, 1, 0, )
#define PERFTOOL_MARK_OF_(count, p, n, ...) \
	PERFTOOL_MARK_ASM_(p, n, PERFTOOL_MARK_F##count##_, \
		PERFTOOL_MARK_O##count##_(__VA_ARGS__))
#define PERFTOOL_MARK_BY_(count, ...) PERFTOOL_MARK_OF_(count, __VA_ARGS__)
#define PERFTOOL_MARK(...) \
	PERFTOOL_MARK_BY_(PERFTOOL_MARK_COUNT_(__VA_ARGS__), __VA_ARGS__, )
/* clang-format on */

#else
#define PERFTOOL_MARK(...) ((void)0)
#endif

#endif
