#include "variables.h"
void globals_destroy(struct globals *globals)
{
	(void)globals;
}
