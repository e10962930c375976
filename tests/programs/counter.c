/*
 * counter.c - a program that reads the processor's counter
 */
int main(void)
{
	return __builtin_ia32_rdtsc() == 0;
}
