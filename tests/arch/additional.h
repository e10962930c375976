/*
 * additional.h - instructions to execute besides those found in programs:
 * kinds that no program of the four has, or that one of them may lose
 *
 * Displacements are zero: the trial aims them (trial.h).
 */
#ifndef TESTS_ARCH_ADDITIONAL_H
#define TESTS_ARCH_ADDITIONAL_H

static const char *const additional[] = {
	"0f05",         /* syscall */
	"cd80",         /* int 0x80 */
	"cc",           /* int3 */
	"f1",           /* int1 */
	"cd05",         /* int 5 */
	"0f0b",         /* ud2 */
	"f4",           /* hlt */
	"c3",           /* ret */
	"f3c3",         /* rep ret */
	"f2c3",         /* bnd ret */
	"c21000",       /* ret 16 */
	"cb",           /* retf */
	"48cf",         /* iretq */
	"eb00",         /* jmp rel8 */
	"e900000000",   /* jmp rel32 */
	"f2e900000000", /* bnd jmp rel32 */
	"7000",         /* jo .. jg rel8 */
	"7100",
	"7200",
	"7300",
	"7400",
	"7500",
	"7600",
	"7700",
	"7800",
	"7900",
	"7a00",
	"7b00",
	"7c00",
	"7d00",
	"7e00",
	"7f00",
	"0f8000000000", /* jo .. jg rel32 */
	"0f8100000000",
	"0f8200000000",
	"0f8300000000",
	"0f8400000000",
	"0f8500000000",
	"0f8600000000",
	"0f8700000000",
	"0f8800000000",
	"0f8900000000",
	"0f8a00000000",
	"0f8b00000000",
	"0f8c00000000",
	"0f8d00000000",
	"0f8e00000000",
	"0f8f00000000",
	"2e7400", /* with branch hints */
	"3e0f8500000000",
	"e300",   /* jrcxz */
	"67e300", /* jecxz */
	"e200",   /* loop */
	"67e200", /* loop by ecx */
	"e100",   /* loope */
	"e000",   /* loopne */
	"f3e000", /* rep prefixes may overrule the opcode */
	"f2e100",
	"f2f3e000",
	"f3f2e100",
	"67e100",
	"67e000",
	"c7f800000000",     /* xbegin */
	"0f01d5",           /* xend */
	"e800000000",       /* call rel32 */
	"67e800000000",     /* as linkers relax call [rip + x] */
	"666648e800000000", /* as __tls_get_addr is called */
	"ffd0",             /* call rax */
	"41ffd3",           /* call r11 */
	"3effd0",           /* notrack call rax */
	"ff10",             /* call [rax] */
	"ff1500000000",     /* call [rip + x] */
	"6648ff1500000000",
	"f2ff1500000000",
	"67ff1500000000",   /* call [eip + x] */
	"ff142500000000",   /* call [absolute] */
	"ff14c500000000",   /* call [rax * 8 + absolute] */
	"ff14c3",           /* call [rbx + rax * 8] */
	"ff542410",         /* call [rsp + 16] */
	"ff54247c",         /* the displacement outgrows 8 bits */
	"ff542480",         /* call [rsp - 128] */
	"ff942400100000",   /* call [rsp + 4096] */
	"ff1424",           /* call [rsp] */
	"ff14c4",           /* call [rsp + rax * 8] */
	"67ff542410",       /* call [esp + 16] */
	"41ff5424f8",       /* call [r12 - 8] */
	"64ff142510000000", /* call fs:[16] */
	"65ff10",           /* call gs:[rax] */
	"3eff542418",       /* notrack call [rsp + 24] */
	"ffe0",             /* jmp rax */
	"3effe0",           /* notrack jmp rax */
	"ff2500000000",     /* jmp [rip + x] */
	"f2ff2500000000",   /* bnd jmp [rip + x] */
	"ff642408",         /* jmp [rsp + 8] */
	"ff24c500000000",   /* jmp [rax * 8 + absolute] */
	"f30f1efa",         /* endbr64 */
	"54",               /* push rsp */
	"5c",               /* pop rsp */
	"ff342500000000",   /* push [absolute] */
	"ff742408",         /* push [rsp + 8] */
	"8f442408",         /* pop [rsp + 8] */
	"ff3500000000",     /* push [rip + x] */
	"8f0500000000",     /* pop [rip + x] */
	"6a7f",             /* push imm8 */
	"9c",               /* pushf */
	"9d",               /* popf */
	"669c",
	"669d",
	"c8200000",             /* enter 32, 0 */
	"c8200002",             /* enter 32, 2 */
	"c9",                   /* leave */
	"488d0500000000",       /* lea rax, [rip + x] */
	"678d0500000000",       /* lea eax, [eip + x] */
	"488b0500000000",       /* mov rax, [rip + x] */
	"c7050000000078563412", /* mov [rip + x], imm32: displacement inside */
	"803d0000000005",       /* cmp byte [rip + x], imm8 */
	"48a10000000000000000", /* mov rax, [absolute 64] */
	"f0480fb10d00000000",   /* lock cmpxchg [rip + x], rcx */
	"f0480fc70f",           /* lock cmpxchg16b [rdi] */
	"f3a4",                 /* rep movsb */
	"f348a5",               /* rep movsq */
	"f3aa",                 /* rep stosb */
	"f3a6",                 /* repe cmpsb */
	"f2ae",                 /* repne scasb */
	"67f3a4",               /* rep movsb by esi, edi, ecx */
	"d7",                   /* xlat */
	"0fa2",                 /* cpuid */
	"0f31",                 /* rdtsc */
	"0f01d0",               /* xgetbv */
	"48f7f1",               /* div rcx */
	"48f7fb",               /* idiv rbx */
	"f3480fae c8",          /* rdgsbase rax */
	"f3480faed0",           /* wrfsbase rax */
	"660f6f0500000000",     /* movdqa xmm0, [rip + x] */
	"c5fc280500000000",     /* vmovaps ymm0, [rip + x] */
	"62f1fe486f0500000000", /* vmovdqu64 zmm0, [rip + x] */
	"62f1fd496f4001",       /* vmovdqa64 zmm0 {k1}, [rax + 64] */
	"c4e269920488",         /* vgatherdps xmm0, [rax + xmm1 * 4], xmm2 */
	"62f27d49920408",       /* vgatherdps zmm0 {k1}, [rax + zmm1] */
	"c4e3791400 00",        /* vpextrb [rax], xmm0, 0 */
	"c5f877",               /* vzeroupper */
	"0fae00",               /* fxsave [rax] */
	"0fae08",               /* fxrstor [rax] */
	"0fae20",               /* xsave [rax] */
	"0fc720",               /* xsavec [rax] */
	"0fae1500000000",       /* ldmxcsr [rip + x] */
	"d930",                 /* fnstenv [rax] */
	"d920",                 /* fldenv [rax] */
	"dd30",                 /* fnsave [rax] */
	"d8c1",                 /* fadd st, st(1) */
	"d9fa",                 /* fsqrt */
	"dc0500000000",         /* fadd qword [rip + x] */
	"9b",                   /* fwait */
	"0fc8",                 /* bswap eax */
	"480fa308",             /* bt [rax], rcx */
	"480fab0d00000000",     /* bts [rip + x], rcx */
	"f348 0fb8c1",          /* popcnt rax, rcx */
	"0f1f8000000000",       /* nop [rax + x] */
	"0f1f0500000000",       /* nop [rip + x] */
	"0f180d00000000",       /* prefetcht0 [rip + x] */
	"0fae3d00000000",       /* clflush [rip + x] */
	"f30f1ec8",             /* rdsspd eax */
	"ec",                   /* in al, dx: not allowed */
	"fa",                   /* cli: not allowed */
	"0f20c0",               /* mov rax, cr0: not allowed */
};

#endif
