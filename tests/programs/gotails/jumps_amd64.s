// Functions that leave their frames to others.
#include "textflag.h"

TEXT ·leafJump(SB), NOSPLIT, $0-16
	JMP ·leaf(SB)

TEXT ·sleepJump(SB), NOSPLIT, $0-16
	JMP ·sleep(SB)

TEXT ·growJump(SB), NOSPLIT, $0-16
	JMP ·grow(SB)
