/*
 * test_debuginfo_libdwarf.c - what we read in real files against libdwarf
 *
 * Our reader of DWARF is our own (doc/DEPENDENCIES.md says why); libdwarf is
 * good enough for files that compilers just wrote. Every row of every line
 * table, every function, every row of call frame information and every
 * variable of a function is asked for, at the first and the last byte it is
 * good for. The files are small programs of all compilers that are there, this
 * very program, and the C library where its debug information is installed.
 */
#include "libdwarf_oracle.h"

#include <link.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* ---- the programs ------------------------------------------------------ */

/* Plain C: all scalars, shadowed names, inlined calls in each other, cold
 * parts, copies of functions, frames that need a base pointer. */
static const char c_source[] =
	"typedef unsigned long size;\n"
	"typedef const volatile short odd;\n"
	"typedef struct point { int x; float y; } point;\n"
	"enum color { RED, GREEN = 7 };\n"
	"enum minus { LOW = -1, HIGH };\n"
	"union both { int i; double d; };\n"
	"volatile int sink;\n"
	"static size counter = 5;\n"
	"void print(const char *format, ...);\n"
	"__attribute__((noinline, cold)) void die(int why) { sink = why; }\n"
	"__attribute__((noinline)) void print(const char *format, ...)\n"
	"{ sink += format[0]; }\n"
	"static inline __attribute__((always_inline)) int twice(int x)\n"
	"{ int y = x * 2; sink = y; return y + sink; }\n"
	"static inline __attribute__((always_inline)) int four(int x)\n"
	"{ int y = twice(x); { int x = twice(y); sink = x; y += x; }\n"
	"  return y; }\n"
	"__attribute__((noinline)) long scalars(signed char a, short b, int "
	"c,\n"
	"  long d, unsigned char e, unsigned short f, unsigned g, size h,\n"
	"  _Bool i, float j, double k, long double l, char m)\n"
	"{\n"
	"  long long n = a + b + c + d; unsigned long long o = e + f + g + h;\n"
	"  __int128 p = n; unsigned __int128 q = o; double _Complex r = k;\n"
	"  odd s = (short)m; volatile float t = j; enum color u = GREEN;\n"
	"  enum minus v = LOW; char *w = &m; const char *x = w;\n"
	"  point y = {1, 2}; point *z = &y; union both ab = {3};\n"
	"  int ac[3] = {1, 2, 3}; void *ad = ac; char **ae = &w;\n"
	"  const size *af = &h; const void *ag = ad; char *const *ah = &w;\n"
	"  int (*ai)(int) = 0; const int aj = c; _Atomic int ak = c;\n"
	"  sink = (int)(p + q) + (int)t + s + (int)u + (int)v + x[0] + z->x +\n"
	"    ab.i + ac[1] + (ad == 0) + ae[0][0] + (int)*af + (ag == ad) +\n"
	"    **ah + (ai != 0) + aj + ak;\n"
	"  return (long)(__real__ r) + i + (long)l + (long)n + (long)o;\n"
	"}\n"
	"__attribute__((noinline)) int shadow(int v)\n"
	"{\n"
	"  int r = v;\n"
	"  for (int i = 0; i < v; i++) {\n"
	"    long v = i; r += (int)v + sink;\n"
	"    if (r & 1) { char v = (char)r; sink = v; r += four(v); }\n"
	"    else { double v = r; sink = (int)v; }\n"
	"    static short kept; kept++; r += kept;\n"
	"  }\n"
	"  { extern volatile int sink; r += sink; }\n"
	"  return r + four(r) + twice(v);\n"
	"}\n"
	"__attribute__((noinline)) int coldly(int n, int *p)\n"
	"{\n"
	"  int s = 0;\n"
	"  for (int i = 0; i < n; i++) {\n"
	"    if (__builtin_expect(p[i] < 0, 0)) {\n"
	"      int bad = p[i]; die(bad); print(\"bad\"); die(s); return bad;\n"
	"    }\n"
	"    s += four(p[i]);\n"
	"  }\n"
	"  if (__builtin_expect(s < 0, 0)) { die(s); print(\"again\"); }\n"
	"  return s;\n"
	"}\n"
	"static __attribute__((noinline)) int copied(int a, int b, point *p)\n"
	"{ sink = a; return a * b + p->x + sink; }\n"
	"__attribute__((noinline)) int callers(int a)\n"
	"{ point p = {a, 1}; return copied(a, 3, &p) + copied(a + 1, 3, &p); "
	"}\n"
	"__attribute__((noinline)) int frames(int n)\n"
	"{\n"
	"  int a[n + 1]; __attribute__((aligned(64))) double b[8];\n"
	"  for (int i = 0; i <= n; i++) { a[i] = i; b[i & 7] = i; }\n"
	"  print(\"%p\", a, b); sink = (int)b[n & 7];\n"
	"  return a[n] + (int)b[0];\n"
	"}\n"
	"__attribute__((noinline)) int choose(int n)\n"
	"{\n"
	"  switch (n) {\n"
	"  case 0: print(\"a\"); return 5; case 1: print(\"b\"); return 9;\n"
	"  case 2: print(\"c\"); break; case 3: return n * 77;\n"
	"  case 4: sink++; /* fall through */ case 5: return sink;\n"
	"  default: return -n;\n"
	"  }\n"
	"  return n < 2 ? n : choose(n - 1) + choose(n - 2);\n"
	"}\n"
	"static inline __attribute__((always_inline)) int inner(int v)\n"
	"{ int own = sink; return own + v; }\n"
	"static inline __attribute__((always_inline)) int middle(int v)\n"
	"{\n"
	"  char own = (char)inner(v);\n"
	"  if (__builtin_expect(own < 0, 0)) { die(own); print(\"m\"); die(v); "
	"}\n"
	"  return own * 3;\n"
	"}\n"
	"__attribute__((noinline)) int split(int v)\n"
	"{\n"
	"  long own = v * 3L; int r; print(\"s\");\n"
	"  r = middle((int)own); own += r; print(\"t\"); return (int)own;\n"
	"}\n"
	"#ifndef __clang__\n"
	"__attribute__((noinline)) int nest(int n)\n"
	"{\n"
	"  long before = n; print(\"n\");\n"
	"  __attribute__((noinline)) int within(char n)\n"
	"  { short own = n; print(\"w\"); { int own = n * 2; sink = own; }\n"
	"    return own + (int)before; }\n"
	"  { float after = n; before += within((char)n); sink = (int)after; }\n"
	"  return (int)before;\n"
	"}\n"
	"#else\n"
	"int nest(int n) { return n; }\n"
	"#endif\n"
	"__attribute__((noinline)) int unused(int n) { return n + 1; }\n"
	"#line 30 \"grammar/parse.y\"\n"
	"__attribute__((noinline)) int parse(int token)\n"
	"{\n"
	"  if (token == 3)\n"
	"#line 77 \"/usr/share/skeleton.c\"\n"
	"    sink = token; else\n"
	"#line 40 \"grammar/parse.y\"\n"
	"    sink = -token;\n"
	"  return sink;\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"  int list[4] = {1, argc, 3, argv == 0};\n"
	"  return (int)scalars(1, 2, 3, 4, 5, 6, 7, counter, 1, 2, 3, 4, 'x') "
	"+\n"
	"    shadow(argc) + coldly(4, list) + callers(argc) + frames(argc) +\n"
	"    choose(argc) + parse(argc) + split(argc) +\n"
	"    nest(argc);\n"
	"}\n";

static const char c_plus_plus_source[] =
	"extern volatile int sink; volatile int sink;\n"
	"namespace outer { namespace inner {\n"
	"enum class shade : unsigned char { dark, light };\n"
	"struct base { virtual ~base() {} virtual int get(int k) = 0; int b; "
	"};\n"
	"template <typename T> struct box : base {\n"
	"  T value;\n"
	"  explicit box(T v) : value(v) { sink = (int)v; }\n"
	"  ~box() { sink = (int)value; }\n"
	"  int get(int k) override\n"
	"  { T local = value; auto more = local + k; sink = (int)more;\n"
	"    return (int)more; }\n"
	"  static T make(const T &from, T &&other) { T sum = from + other;\n"
	"    return sum; }\n"
	"};\n"
	"__attribute__((noinline)) int walk(shade s, bool b, char16_t c,\n"
	"                                   int &ref, const long &other)\n"
	"{\n"
	"  int result = ref;\n"
	"  for (auto i = 0u; i < 3; i++) {\n"
	"    auto add = [&](int n) { int twice = n * 2; sink = twice;\n"
	"      return twice + result; };\n"
	"    result += add((int)i) + (int)s + b + (int)c + (int)other;\n"
	"  }\n"
	"  return result;\n"
	"}\n"
	"} }\n"
	"__attribute__((noinline)) void raise(int n)\n"
	"{ if (n > 2) throw n; sink = n; }\n"
	"__attribute__((noinline)) int guarded(int n)\n"
	"{\n"
	"  outer::inner::box<long> kept(n);\n"
	"  try { int tried = n + 1; raise(tried); return tried; }\n"
	"  catch (int caught) { int twice = caught * 2; sink = twice;\n"
	"    return twice; }\n"
	"  catch (...) { raise(0); throw; }\n"
	"}\n"
	"class counter {\n"
	"public:\n"
	"  static int made; counter() { made++; } int up(int by);\n"
	"private: int n = 0;\n"
	"};\n"
	"int counter::made;\n"
	"__attribute__((noinline)) int counter::up(int by)\n"
	"{ struct local { int f(int z) { int zz = z; return zz + 1; } };\n"
	"  n += by; return local().f(n) + made; }\n"
	"template <int N> __attribute__((noinline)) int power(int x)\n"
	"{ int y = power<N - 1>(x); sink = y; return y * x; }\n"
	"template <> int power<0>(int) { return 1; }\n"
	"static const int table[] = {1, 2, 3};\n"
	"int main(int argc, char **)\n"
	"{\n"
	"  outer::inner::box<int> a(argc); outer::inner::box<double> b(2.5);\n"
	"  outer::inner::base *both[] = {&a, &b}; counter c; long l = 4;\n"
	"  int sum = 0; decltype(nullptr) nothing = nullptr;\n"
	"  for (auto *one : both) sum += one->get(argc);\n"
	"  return sum + guarded(argc) + c.up(2) + power<3>(argc) +\n"
	"    outer::inner::walk(outer::inner::shade::light, true, u'x',\n"
	"                       sum, l) +\n"
	"    outer::inner::box<long>::make(l, 7) + table[argc & 1] +\n"
	"    (nothing == nullptr);\n"
	"}\n";

/* What is worth its time: every compiler, version and level, and what moves
 * or drops code, or puts the information elsewhere. */
static const char *const c_builds[] = {
	"gcc -O0 -gdwarf-4",
	"gcc -O0 -gdwarf-5",
	"gcc -O2 -gdwarf-4",
	"gcc -O2 -gdwarf-5",
	"gcc -O3 -gdwarf-5 -static-pie -ffunction-sections -Wl,--gc-sections",
	"gcc -O2 -gdwarf-5 -fno-asynchronous-unwind-tables -gz -no-pie",
	"gcc -Os -gdwarf-3 -fno-asynchronous-unwind-tables",
	"clang -O0 -gdwarf-4",
	"clang -O0 -gdwarf-5",
	"clang -O2 -gdwarf-4 -ffunction-sections -Wl,--gc-sections",
	"clang -O2 -gdwarf-5",
};

static const char *const c_plus_plus_builds[] = {
	"g++ -O0 -gdwarf-5",
	"g++ -O2 -gdwarf-4",
	"g++ -O2 -gdwarf-5 -fdebug-types-section",
	"clang++ -O0 -gdwarf-4",
	"clang++ -O2 -gdwarf-5",
};

/* ---- counting ---------------------------------------------------------- */

enum category {
	LINES,
	FUNCTIONS,   /* addresses in them */
	RANGES,      /* of a function, all of them */
	FRAMES,      /* rows: a register and an offset */
	EXPRESSIONS, /* rows: not that */
	VARIABLES,
	CATEGORIES,
};

static const char *const category_names[CATEGORIES] = {
	"lines",  "functions",         "ranges",
	"frames", "frame expressions", "variables",
};

struct comparison {
	const char *what; /* is compared */
	struct debugfile *file;
	struct oracle oracle;
	size_t compared[CATEGORIES], wrong;
};

#define MAX_TOLD 20

/* Count one comparison; true: it is to be told about. */
static bool count(struct comparison *comparison, enum category category,
		  bool same)
{
	comparison->compared[category]++;
	return !same && comparison->wrong++ < MAX_TOLD;
}

/* ---- lines ------------------------------------------------------------- */

/* An address with rows: which of them the source line is taken from. */
struct place {
	uint64_t address;
	const struct oracle_row *row; /* NULL: there is no line */
	size_t order;                 /* of rows: of the program */
	bool end;
};
VEC_STRUCT(place_list, struct place);

static int compare_places(const void *a_, const void *b_)
{
	const struct place *a = a_, *b = b_;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->end != b->end) /* what follows begins where it ends */
		return a->end ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool is_path(const struct oracle_row *row, const char *path)
{
	return str_equal(path, row->path) ||
	       (row->other_path && str_equal(path, row->other_path));
}

/* What follows the functions of a section is of no unit: it has no line. */
static void check_line(struct comparison *comparison, uint64_t address,
		       const struct oracle_row *row)
{
	const struct oracle *oracle = &comparison->oracle;
	const char *path = "nothing";
	uint32_t line = 0;
	bool known =
		debugfile_source_at(comparison->file, address, &path, &line);
	bool same;

	if (row && !oracle_in_ranges(&oracle->units.data[row->unit], address))
		row = NULL;
	same = row ? known && line == row->line && is_path(row, path) : !known;
	if (count(comparison, LINES, same))
		print_message("# %s: %#lx is %s:%u, libdwarf: %s:%lu\n",
			      comparison->what, address, path, line,
			      row ? row->path : "nothing", row ? row->line : 0);
}

/*
 * Sequences of code that the linker dropped start at an address that is not
 * code, and a row at the end of its sequence has no code: add what is left.
 */
static void add_places(const struct oracle *oracle, struct place_list *out)
{
	size_t first = 0, end;

	for (; first < oracle->rows.count; first = end + 1) {
		const struct oracle_row *rows = oracle->rows.data;

		for (end = first; !rows[end].end;)
			end++;
		if (!oracle_in_ranges(&oracle->code, rows[first].address))
			continue;
		for (size_t i = first; i <= end; i++)
			if (i == end || rows[i].address != rows[end].address)
				vec_push(out, (struct place){rows[i].address,
							     &rows[i], i,
							     rows[i].end});
	}
}

/*
 * Of several rows of one address the last one that is a statement counts, or
 * the last one where none is; where the last one has no line there is none.
 */
static const struct oracle_row *choose(const struct place *places, size_t count)
{
	const struct oracle_row *last = places[count - 1].row;

	if (last->end || !last->line)
		return NULL;
	for (size_t i = count; i--;) {
		const struct oracle_row *row = places[i].row;

		if (row->end)
			break;
		if (row->is_stmt)
			return row->line ? row : last;
	}
	return last;
}

static void compare_lines(struct comparison *comparison)
{
	const struct oracle *oracle = &comparison->oracle;
	struct place_list places = {0};
	size_t end;

	add_places(oracle, &places);
	if (places.count)
		qsort(places.data, places.count, sizeof(*places.data),
		      compare_places);
	for (size_t i = 0; i < places.count; i = end) {
		uint64_t address = places.data[i].address, next = address;
		const struct oracle_row *row;

		for (end = i; end < places.count && next == address; end++)
			if (end + 1 < places.count)
				next = places.data[end + 1].address;
		row = choose(places.data + i, end - i);
		check_line(comparison, address, row);
		if (next > address + 1 && row)
			check_line(comparison, next - 1, row);
	}
	vec_free(&places);
}

/* ---- functions --------------------------------------------------------- */

/* Symbols are sorted: the first one at `address`, or after it. */
static size_t first_symbol(const struct oracle *oracle, uint64_t address)
{
	size_t low = 0, high = oracle->symbols.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (oracle->symbols.data[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Is `symbol` the function, or a copy or part of it (NAME.isra.0)? What C++
 * knows only by its plain name is looked for in the demangled one. */
static bool names(const char *symbol, const struct oracle_scope *scope)
{
	size_t length = strlen(scope->name);
	char *demangled;
	bool same;

	if (scope->linked)
		return str_starts(symbol, scope->name) &&
		       (symbol[length] == '\0' || symbol[length] == '.');
	demangled = debuginfo_demangle(symbol);
	same = strstr(demangled, scope->name);
	free(demangled);
	return same;
}

/* The name of a function is one that the linker knows for its address; and
 * there it also knows the one of the debug information, which is all there is
 * where symbols have been stripped. */
static bool is_named(const struct oracle *oracle,
		     const struct function *function,
		     const struct oracle_scope *scope)
{
	bool known = false, same = false;

	if (!function->name)
		return false;
	if (!oracle->symbols.count)
		return str_equal(function->name, scope->name);
	for (size_t i = first_symbol(oracle, function->address);
	     i < oracle->symbols.count &&
	     oracle->symbols.data[i].address == function->address;
	     i++) {
		const char *symbol = oracle->symbols.data[i].name;

		known |= str_equal(symbol, function->name);
		same |= names(symbol, scope);
	}
	return known && same;
}

/* Part of [low, high) that is in none of `ranges`; `low` when there is none. */
static uint64_t first_outside(const struct range_list *ranges, uint64_t low,
			      uint64_t high)
{
	bool moved = true;

	while (moved && low < high) {
		moved = false;
		for (size_t i = 0; i < ranges->count; i++) {
			if (low >= ranges->data[i].low &&
			    low < ranges->data[i].high) {
				low = ranges->data[i].high;
				moved = true;
			}
		}
	}
	return low < high ? low : high;
}

static bool covers(const struct range_list *outer,
		   const struct range_list *inner)
{
	for (size_t i = 0; i < inner->count; i++)
		if (first_outside(outer, inner->data[i].low,
				  inner->data[i].high) != inner->data[i].high)
			return false;
	return true;
}

/* The ranges of a function: those of its DIE, and what its symbol has more. */
static void check_ranges(struct comparison *comparison,
			 const struct oracle_scope *scope,
			 const struct function *function)
{
	const struct oracle *oracle = &comparison->oracle;
	struct range_list found = {0}, expected = {0};
	struct error *error =
		debugfile_function_ranges(comparison->file, function, &found);

	for (size_t i = 0; i < scope->ranges.count; i++)
		vec_push(&expected, scope->ranges.data[i]);
	for (size_t i = first_symbol(oracle, function->address);
	     i < oracle->symbols.count &&
	     oracle->symbols.data[i].address == function->address;
	     i++)
		vec_push(&expected,
			 (struct range){
				 function->address,
				 function->address +
					 oracle->symbols.data[i].size,
			 });
	if (count(comparison, RANGES,
		  !error && covers(&found, &expected) &&
			  covers(&expected, &found))) {
		print_message("# %s: the ranges of %s differ%s%s: [",
			      comparison->what, scope->name, error ? ": " : "",
			      error ? error_message(error) : "");
		for (size_t i = 0; i < found.count; i++)
			print_message(" %#lx-%#lx", found.data[i].low,
				      found.data[i].high);
		print_message(" ], libdwarf: [");
		for (size_t i = 0; i < expected.count; i++)
			print_message(" %#lx-%#lx", expected.data[i].low,
				      expected.data[i].high);
		print_message(" ]\n");
	}
	error_destroy(error);
	vec_free(&found);
	vec_free(&expected);
}

static void check_function(struct comparison *comparison,
			   const struct oracle_scope *scope, uint64_t address)
{
	uint64_t entry = scope->ranges.data[0].low;
	struct function function = {0};
	bool known =
		debugfile_function_at(comparison->file, address, &function);

	if (count(comparison, FUNCTIONS,
		  known && function.address == entry &&
			  is_named(&comparison->oracle, &function, scope)))
		print_message("# %s: %#lx is in %s (%#lx), "
			      "libdwarf: %s (%#lx)\n",
			      comparison->what, address,
			      function.name ? function.name : "nothing",
			      function.address, scope->name, entry);
	else if (known && function.address == entry && address == entry)
		check_ranges(comparison, scope, &function);
}

static void compare_functions(struct comparison *comparison)
{
	const struct oracle *oracle = &comparison->oracle;

	for (size_t i = 0; i < oracle->scopes.count; i++) {
		const struct oracle_scope *scope = &oracle->scopes.data[i];

		if (scope->tag != DW_TAG_subprogram)
			continue;
		for (size_t j = 0; j < scope->ranges.count; j++) {
			const struct range *range = &scope->ranges.data[j];

			check_function(comparison, scope, range->low);
			check_function(comparison, scope, range->high - 1);
		}
	}
}

/* ---- frames ------------------------------------------------------------ */

static void check_frame(struct comparison *comparison,
			const struct oracle_frame *frame, uint64_t address)
{
	struct cfa_rule rule = {0};
	bool known = debugfile_cfa_rule(comparison->file, address, &rule);
	bool same = frame->known ? known && rule.reg == frame->reg &&
					   rule.offset == frame->offset
				 : !known;

	if (count(comparison, frame->known ? FRAMES : EXPRESSIONS, same))
		print_message("# %s: CFA at %#lx is %d r%u%+ld, "
			      "libdwarf: %d r%u%+ld\n",
			      comparison->what, address, known, rule.reg,
			      rule.offset, frame->known, frame->reg,
			      frame->offset);
}

/* Where both sections know a place, .eh_frame is asked. */
static bool is_hidden(const struct oracle *oracle,
		      const struct oracle_frame *frame)
{
	if (!frame->debug_frame)
		return false;
	for (size_t i = 0; i < oracle->frames.count; i++) {
		const struct oracle_frame *other = &oracle->frames.data[i];

		if (!other->debug_frame && other->low < frame->high &&
		    frame->low < other->high)
			return true;
	}
	return false;
}

static void compare_frames(struct comparison *comparison)
{
	const struct oracle *oracle = &comparison->oracle;

	for (size_t i = 0; i < oracle->frames.count; i++) {
		const struct oracle_frame *frame = &oracle->frames.data[i];

		if (!oracle_in_ranges(&oracle->code, frame->low) ||
		    is_hidden(oracle, frame))
			continue;
		check_frame(comparison, frame, frame->low);
		check_frame(comparison, frame, frame->high - 1);
	}
}

/* ---- variables --------------------------------------------------------- */

static size_t owner(const struct oracle *oracle, size_t scope)
{
	while (oracle->scopes.data[scope].tag != DW_TAG_subprogram &&
	       oracle->scopes.data[scope].tag != DW_TAG_inlined_subroutine)
		scope = oracle->scopes.data[scope].parent;
	return scope;
}

/* Is the address in the scope, and in all those around it? */
static bool is_in_scope(const struct oracle *oracle, size_t index,
			uint64_t address)
{
	const struct oracle_scope *scope = &oracle->scopes.data[index];

	return oracle_in_ranges(&scope->ranges, address) &&
	       (scope->parent == index ||
		is_in_scope(oracle, scope->parent, address));
}

static bool begins_at(const struct oracle_scope *scope, uint64_t address)
{
	for (size_t i = 0; i < scope->ranges.count; i++)
		if (scope->ranges.data[i].low == address)
			return true;
	return false;
}

/* The variable of that name that belongs to the function or inlined call
 * `of`, in its innermost block; or NULL. */
static const struct oracle_variable *find_in(const struct oracle *oracle,
					     size_t function, size_t of,
					     uint64_t address, const char *name)
{
	const struct oracle_scope *scope = &oracle->scopes.data[function];
	const struct oracle_variable *best = NULL;
	unsigned best_depth = 0;

	for (size_t i = scope->first_variable; i < scope->end_variable; i++) {
		const struct oracle_variable *variable =
			&oracle->variables.data[i];
		unsigned depth = oracle->scopes.data[variable->scope].depth;

		/* names are kept once each */
		if (variable->name != name ||
		    owner(oracle, variable->scope) != of ||
		    !is_in_scope(oracle, variable->scope, address) ||
		    (best && depth < best_depth))
			continue;
		best = variable;
		best_depth = depth;
	}
	return best;
}

/* The function or the innermost inlined call at an address. */
static size_t innermost(const struct oracle *oracle, size_t function,
			uint64_t address)
{
	const struct oracle_scope *scopes = oracle->scopes.data;
	size_t best = function;

	for (size_t i = function; i < scopes[function].end_scope; i++)
		if (scopes[i].function == function && owner(oracle, i) == i &&
		    is_in_scope(oracle, i, address) &&
		    scopes[i].depth >= scopes[best].depth)
			best = i;
	return best;
}

/*
 * What a name means at an address: of the innermost inlined call first and out
 * to the function; but calls that only begin there come last, the outermost of
 * them first.
 */
static const struct oracle_variable *resolve(const struct oracle *oracle,
					     size_t function, uint64_t address,
					     const char *name)
{
	const struct oracle_variable *found = NULL;
	size_t at = innermost(oracle, function, address);
	size_t chain[64], length = 0, begins = 0;

	for (; at != function && length < COUNT(chain) - 1;
	     at = owner(oracle, oracle->scopes.data[at].parent)) {
		chain[length++] = at;
		if (begins_at(&oracle->scopes.data[at], address))
			begins = length;
	}
	chain[length++] = at;
	for (size_t i = begins; i < length && !found; i++)
		found = find_in(oracle, function, chain[i], address, name);
	for (size_t i = begins; i-- && !found;)
		found = find_in(oracle, function, chain[i], address, name);
	return found;
}

static const char *kind_name(enum variable_kind kind)
{
	static const char *const kinds[] = {
		[VARIABLE_SIGNED] = "signed", [VARIABLE_UNSIGNED] = "unsigned",
		[VARIABLE_FLOAT] = "float",   [VARIABLE_POINTER] = "pointer",
		[VARIABLE_OTHER] = "other",
	};

	return kinds[kind];
}

static void check_variable(struct comparison *comparison, size_t function,
			   uint64_t address, const char *name)
{
	const struct oracle_variable *expected =
		resolve(&comparison->oracle, function, address, name);
	const struct oracle_type *type;
	struct variable *variable = NULL;
	struct error *error;
	bool same;

	assert_non_null(expected);
	if (expected->declaration)
		return;
	type = expected->type;
	error = debugfile_find_variable(comparison->file, address, false, name,
					&variable);
	same = !error && variable_kind(variable) == type->kind &&
	       (!type->size_known || variable_size(variable) == type->size) &&
	       (!type->name ||
		str_equal(variable_type_name(variable), type->name));
	if (count(comparison, VARIABLES, same))
		print_message("# %s: %s at %#lx is %s (%u, %s), "
			      "libdwarf: %s (%lu, %s)\n",
			      comparison->what, name, address,
			      error ? error_message(error)
				    : variable_type_name(variable),
			      error ? 0 : variable_size(variable),
			      error ? "" : kind_name(variable_kind(variable)),
			      type->name ? type->name : "?", type->size,
			      kind_name(type->kind));
	variable_destroy(variable);
	error_destroy(error);
}

static int compare_addresses(const void *a_, const void *b_)
{
	const uint64_t *a = a_, *b = b_;

	return *a < *b ? -1 : *a > *b;
}

/* Where what can be seen in the function may change, sorted. */
VEC_STRUCT(address_list, uint64_t);

static void list_edges(const struct oracle *oracle, size_t function,
		       struct address_list *out)
{
	vec_clear(out);
	for (size_t i = function; i < oracle->scopes.data[function].end_scope;
	     i++) {
		const struct range_list *ranges =
			&oracle->scopes.data[i].ranges;

		for (size_t j = 0; j < ranges->count; j++) {
			vec_push(out, ranges->data[j].low);
			vec_push(out, ranges->data[j].high);
		}
	}
	qsort(out->data, out->count, sizeof(*out->data), compare_addresses);
}

/* Ask for every variable at both ends of the first and the last stretch of
 * code that it can be seen in and where nothing changes. */
static void check_function_variables(struct comparison *comparison,
				     size_t function,
				     const struct address_list *edges)
{
	const struct oracle *oracle = &comparison->oracle;
	const struct oracle_scope *scope = &oracle->scopes.data[function];

	for (size_t i = scope->first_variable; i < scope->end_variable; i++) {
		const struct oracle_variable *variable =
			&oracle->variables.data[i];
		size_t first = SIZE_MAX, last = 0;

		if (oracle->scopes.data[variable->scope].function != function)
			continue;

		for (size_t j = 0; j + 1 < edges->count; j++) {
			if (edges->data[j] == edges->data[j + 1] ||
			    !is_in_scope(oracle, variable->scope,
					 edges->data[j]))
				continue;
			first = first == SIZE_MAX ? j : first;
			last = j;
		}
		if (first == SIZE_MAX)
			continue;
		check_variable(comparison, function, edges->data[first],
			       variable->name);
		check_variable(comparison, function, edges->data[first + 1] - 1,
			       variable->name);
		if (last == first)
			continue;
		check_variable(comparison, function, edges->data[last],
			       variable->name);
		check_variable(comparison, function, edges->data[last + 1] - 1,
			       variable->name);
	}
}

static void compare_variables(struct comparison *comparison)
{
	const struct oracle *oracle = &comparison->oracle;
	struct address_list edges = {0};

	for (size_t i = 0; i < oracle->scopes.count; i++) {
		if (oracle->scopes.data[i].function != i)
			continue;
		list_edges(oracle, i, &edges);
		check_function_variables(comparison, i, &edges);
	}
	vec_free(&edges);
}

/* ---- files ------------------------------------------------------------- */

typedef size_t totals[CATEGORIES];

/* Compare all that is known of a file; what was compared is added up. */
static void compare(const char *what, const char *path, const char *debug_path,
		    totals total)
{
	struct comparison comparison = {.what = what};

	comparison.file = open_sample(path);
	oracle_read(&comparison.oracle, path, debug_path);
	compare_lines(&comparison);
	compare_functions(&comparison);
	compare_frames(&comparison);
	compare_variables(&comparison);
	print_message("# compared");
	for (size_t i = 0; i < CATEGORIES; i++) {
		print_message(" %zu %s,", comparison.compared[i],
			      category_names[i]);
		total[i] += comparison.compared[i];
	}
	print_message(" %zu differ: %s\n", comparison.wrong, what);
	debugfile_close(comparison.file);
	oracle_deinit(&comparison.oracle);
	if (comparison.wrong)
		fail_msg("%zu of %s are not as libdwarf has them",
			 comparison.wrong, what);
}

/* To have compared nothing is no success. */
static void check_totals(const totals total, const totals least)
{
	for (size_t i = 0; i < CATEGORIES; i++)
		if (total[i] < least[i])
			fail_msg("only %zu %s were compared, not %zu", total[i],
				 category_names[i], least[i]);
}

/* Builds of a compiler that is not there are said to be left out. */
static void compare_builds(const char *source, const char *suffix,
			   const char *const *builds, size_t build_count,
			   totals total)
{
	for (size_t i = 0; i < build_count; i++) {
		char *compiler = xstrndup(builds[i], strcspn(builds[i], " "));

		if (has_tool(compiler)) {
			char *command = xasprintf("%s -w", builds[i]);
			char *path = compile(command, "sample", suffix, source);

			compare(builds[i], path, path, total);
			free(path);
			free(command);
		} else {
			print_message("# there is no %s: without '%s'\n",
				      compiler, builds[i]);
		}
		free(compiler);
	}
}

/* The least is what gcc's builds give. */
static void test_c(void **state)
{
	static const totals least = {2700, 150, 70, 11000, 10, 1300};
	totals total = {0};

	(void)state;
	compare_builds(c_source, "c", c_builds, COUNT(c_builds), total);
	check_totals(total, least);
}

static void test_c_plus_plus(void **state)
{
	static const totals least = {700, 100, 45, 300, 2, 450};
	totals total = {0};

	(void)state;
	compare_builds(c_plus_plus_source, "cc", c_plus_plus_builds,
		       COUNT(c_plus_plus_builds), total);
	check_totals(total, least);
}

/* Functions by their debug information alone. */
static void test_stripped(void **state)
{
	static const totals least = {400, 20, 10, 60, 1, 180};
	totals total = {0};
	char *path = compile("gcc -O2 -w -g", "sample", "c", c_source);

	(void)state;
	free(output_of("strip --strip-all --keep-section='.debug*' %s 2>&1",
		       path));
	compare("gcc -O2 -g, stripped", path, path, total);
	check_totals(total, least);
	free(path);
}

/* This program: all of our library. */
static void test_self(void **state)
{
	static const totals least = {10000, 400, 200, 5000, 1, 5000};
	totals total = {0};

	(void)state;
	compare("/proc/self/exe", "/proc/self/exe", "/proc/self/exe", total);
	check_totals(total, least);
}

/* ---- the C library ----------------------------------------------------- */

struct library {
	char *path, *debug_path;
};

/* Where the debug information of a library is, by its build id. */
static char *debug_path_of(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		const char *at =
			(const char *)info->dlpi_addr + header->p_vaddr;
		const char *end = at + header->p_memsz;
		struct str path = {0};

		while (header->p_type == PT_NOTE &&
		       at + sizeof(ElfW(Nhdr)) <= end) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *id = at + sizeof(*note) +
					 ((note->n_namesz + 3) & ~3U);

			at = id + ((note->n_descsz + 3) & ~3U);
			if (note->n_type != NT_GNU_BUILD_ID)
				continue;
			str_append(&path, "/usr/lib/debug/.build-id/");
			for (unsigned j = 0; j < note->n_descsz; j++)
				str_printf(&path, j == 1 ? "/%02x" : "%02x",
					   (unsigned char)id[j]);
			str_append(&path, ".debug");
			return str_take(&path);
		}
	}
	return NULL;
}

static int find_library(struct dl_phdr_info *info, size_t size, void *context)
{
	struct library *library = context;

	(void)size;
	if (!strstr(info->dlpi_name, "/libc.so"))
		return 0;
	library->path = xstrdup(info->dlpi_name);
	library->debug_path = debug_path_of(info);
	return 1;
}

/* Large, and with code of all kinds; where its debug information is. */
static void test_libc(void **state)
{
	static const totals least = {100000, 4000, 2000, 20000, 2, 50000};
	struct library library = {0};
	totals total = {0};
	bool there;

	(void)state;
	dl_iterate_phdr(find_library, &library);
	there = library.debug_path && access(library.debug_path, R_OK) == 0;
	if (there) {
		compare(library.path, library.path, library.debug_path, total);
		check_totals(total, least);
	}
	free(library.path);
	free(library.debug_path);
	if (!there)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),
		cmocka_unit_test(test_c_plus_plus),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_self),
		cmocka_unit_test(test_libc),
	};

	return cmocka_run_group_tests(tests, samples_setup, samples_teardown);
}
