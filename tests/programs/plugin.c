/*
 * plugin.c - the library that loader.c loads
 *
 * Flags: -shared -fPIC
 */
unsigned plugin_work(unsigned n);

unsigned plugin_work(unsigned n)
{
	return n * 2 + 1;
}
