/*
 * plugin2.c - another library that has the same function, for reloader.c
 *
 * Flags: -shared -fPIC
 */
unsigned plugin_work(unsigned n);

unsigned plugin_work(unsigned n)
{
	if (n % 2)
		return 5;
	return n * 7;
}
