	.file	"figures.904e260595835a32-cgu.0"
	.file	0 "." "figures.rs/@/figures.904e260595835a32-cgu.0"
	.file	1 "figures.rs" md5 0x06a461a44255a12ddc6cdb97dcf5ff9b
	.section	.text._RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind,"ax",@progbits
	.hidden	_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind
	.globl	_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind
	.p2align	4
	.type	_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind,@function
_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind:
.Lfunc_begin0:
	.loc	1 16 0
	.cfi_startproc
	movq	%rdi, -8(%rsp)
.LBB0_1:
.Ltmp0:
	.loc	1 17 5 prologue_end
	jmp	.LBB0_1
.Ltmp1:
.Lfunc_end0:
	.size	_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind, .Lfunc_end0-_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind
	.cfi_endproc

	.section	.text._ZN4core4hint9black_box17h38b7b913f4883493E,"ax",@progbits
	.p2align	4
	.type	_ZN4core4hint9black_box17h38b7b913f4883493E,@function
_ZN4core4hint9black_box17h38b7b913f4883493E:
.Lfunc_begin1:
	.file	2 "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860" "library/core/src/hint.rs" md5 0x2a901a283eb5f69871d8be07d256ca78
	.loc	2 490 0
	.cfi_startproc
	movq	%rdi, %rax
.Ltmp2:
	.loc	2 491 5 prologue_end
	movq	(%rsi), %rcx
	movq	%rcx, (%rdi)
	movq	8(%rsi), %rcx
	movq	%rcx, 8(%rdi)
	movq	16(%rsi), %rcx
	movq	%rcx, 16(%rdi)
	#APP
	#NO_APP
	.loc	2 492 2
	retq
.Ltmp3:
.Lfunc_end1:
	.size	_ZN4core4hint9black_box17h38b7b913f4883493E, .Lfunc_end1-_ZN4core4hint9black_box17h38b7b913f4883493E
	.cfi_endproc

	.section	.text._ZN4core4hint9black_box17h4db613767e88e555E,"ax",@progbits
	.p2align	4
	.type	_ZN4core4hint9black_box17h4db613767e88e555E,@function
_ZN4core4hint9black_box17h4db613767e88e555E:
.Lfunc_begin2:
	.loc	2 490 0
	.cfi_startproc
	subq	$24, %rsp
	.cfi_def_cfa_offset 32
	movq	%rdi, 8(%rsp)
	movq	%rdi, %rax
	movq	%rax, 16(%rsp)
.Ltmp4:
	.loc	2 491 5 prologue_end
	movl	$64, %edx
	callq	memcpy@PLT
.Ltmp5:
	.loc	2 0 5 is_stmt 0
	movq	8(%rsp), %rdi
	movq	16(%rsp), %rax
	.loc	2 491 5
	#APP
	#NO_APP
	.loc	2 492 2 epilogue_begin is_stmt 1
	addq	$24, %rsp
	.cfi_def_cfa_offset 8
	retq
.Ltmp6:
.Lfunc_end2:
	.size	_ZN4core4hint9black_box17h4db613767e88e555E, .Lfunc_end2-_ZN4core4hint9black_box17h4db613767e88e555E
	.cfi_endproc

	.section	.text._ZN4core4hint9black_box17h5ee43ddc84fe5dceE,"ax",@progbits
	.p2align	4
	.type	_ZN4core4hint9black_box17h5ee43ddc84fe5dceE,@function
_ZN4core4hint9black_box17h5ee43ddc84fe5dceE:
.Lfunc_begin3:
	.loc	2 490 0
	.cfi_startproc
	subq	$24, %rsp
	.cfi_def_cfa_offset 32
	movq	%rdi, 8(%rsp)
	movq	%rdi, %rax
	movq	%rax, 16(%rsp)
.Ltmp7:
	.loc	2 491 5 prologue_end
	movl	$72, %edx
	callq	memcpy@PLT
.Ltmp8:
	.loc	2 0 5 is_stmt 0
	movq	8(%rsp), %rdi
	movq	16(%rsp), %rax
	.loc	2 491 5
	#APP
	#NO_APP
	.loc	2 492 2 epilogue_begin is_stmt 1
	addq	$24, %rsp
	.cfi_def_cfa_offset 8
	retq
.Ltmp9:
.Lfunc_end3:
	.size	_ZN4core4hint9black_box17h5ee43ddc84fe5dceE, .Lfunc_end3-_ZN4core4hint9black_box17h5ee43ddc84fe5dceE
	.cfi_endproc

	.section	.text._ZN4core4hint9black_box17h7c5f5c571bfb2a19E,"ax",@progbits
	.p2align	4
	.type	_ZN4core4hint9black_box17h7c5f5c571bfb2a19E,@function
_ZN4core4hint9black_box17h7c5f5c571bfb2a19E:
.Lfunc_begin4:
	.loc	2 490 0
	.cfi_startproc
	movq	%rdi, %rax
.Ltmp10:
	.loc	2 491 5 prologue_end
	movq	(%rsi), %rcx
	movq	%rcx, (%rdi)
	movq	8(%rsi), %rcx
	movq	%rcx, 8(%rdi)
	movq	16(%rsi), %rcx
	movq	%rcx, 16(%rdi)
	movq	24(%rsi), %rcx
	movq	%rcx, 24(%rdi)
	#APP
	#NO_APP
	.loc	2 492 2
	retq
.Ltmp11:
.Lfunc_end4:
	.size	_ZN4core4hint9black_box17h7c5f5c571bfb2a19E, .Lfunc_end4-_ZN4core4hint9black_box17h7c5f5c571bfb2a19E
	.cfi_endproc

	.section	.text._ZN4core4hint9black_box17h7e09efb2a02b3b0fE,"ax",@progbits
	.p2align	4
	.type	_ZN4core4hint9black_box17h7e09efb2a02b3b0fE,@function
_ZN4core4hint9black_box17h7e09efb2a02b3b0fE:
.Lfunc_begin5:
	.loc	2 490 0
	.cfi_startproc
	subq	$24, %rsp
	.cfi_def_cfa_offset 32
	movq	%rdi, 8(%rsp)
	movq	%rdi, %rax
	movq	%rax, 16(%rsp)
.Ltmp12:
	.loc	2 491 5 prologue_end
	movl	$64, %edx
	callq	memcpy@PLT
.Ltmp13:
	.loc	2 0 5 is_stmt 0
	movq	8(%rsp), %rdi
	movq	16(%rsp), %rax
	.loc	2 491 5
	#APP
	#NO_APP
	.loc	2 492 2 epilogue_begin is_stmt 1
	addq	$24, %rsp
	.cfi_def_cfa_offset 8
	retq
.Ltmp14:
.Lfunc_end5:
	.size	_ZN4core4hint9black_box17h7e09efb2a02b3b0fE, .Lfunc_end5-_ZN4core4hint9black_box17h7e09efb2a02b3b0fE
	.cfi_endproc

	.section	.rodata.cst8,"aM",@progbits,8
	.p2align	3, 0x0
.LCPI6_0:
	.quad	0x4004000000000000
	.section	.text._ZN7figures7Counter4look17h1facf7f1c6cea2c1E,"ax",@progbits
	.p2align	4
	.type	_ZN7figures7Counter4look17h1facf7f1c6cea2c1E,@function
_ZN7figures7Counter4look17h1facf7f1c6cea2c1E:
.Lfunc_begin6:
	.loc	1 62 0
	.cfi_startproc
	subq	$744, %rsp
	.cfi_def_cfa_offset 752
	movl	%r9d, 36(%rsp)
	movq	%r8, 24(%rsp)
	movq	%rcx, 16(%rsp)
	movq	%rdx, 8(%rsp)
	movl	%esi, 52(%rsp)
	movq	%rdi, 40(%rsp)
	movl	768(%rsp), %r10d
	movl	760(%rsp), %r11d
	movl	752(%rsp), %eax
	movl	%r11d, 56(%rsp)
	movl	%r10d, 60(%rsp)
	movq	%rdi, 688(%rsp)
	movl	%esi, 700(%rsp)
	movq	%rdx, 704(%rsp)
	movq	%rcx, 712(%rsp)
	movq	%r8, 720(%rsp)
	movl	%r9d, 732(%rsp)
	movl	%eax, 736(%rsp)
.Ltmp15:
	.loc	1 63 21 prologue_end
	movl	$12, 64(%rsp)
	movl	$18, 68(%rsp)
.Ltmp16:
	.loc	1 64 20
	movb	$7, 76(%rsp)
	movl	$113, 72(%rsp)
.Ltmp17:
	.loc	1 65 21
	movl	%esi, 88(%rsp)
	movsd	.LCPI6_0(%rip), %xmm0
	movsd	%xmm0, 80(%rsp)
	movb	$1, 92(%rsp)
.Ltmp18:
	.loc	1 67 21
	movw	$1, 98(%rsp)
	movw	$2, 100(%rsp)
	movw	$3, 102(%rsp)
.Ltmp19:
	.loc	1 68 29
	leaq	98(%rsp), %rax
	movq	%rax, 104(%rsp)
	movq	$3, 112(%rsp)
.Ltmp20:
	.loc	1 69 21
	movb	$5, 126(%rsp)
.Ltmp21:
	.loc	1 70 19
	movb	$0, 127(%rsp)
.Ltmp22:
	.loc	1 71 20
	movl	$3, 132(%rsp)
	movl	$4, 136(%rsp)
	movl	$1, 128(%rsp)
.Ltmp23:
	.loc	1 72 21
	movl	$2, 144(%rsp)
.Ltmp24:
	.loc	1 73 40
	leaq	64(%rsp), %rax
	movq	%rax, 160(%rsp)
.Ltmp25:
	.loc	1 74 38
	movq	$0, 168(%rsp)
.Ltmp26:
	.loc	1 75 33
	movl	$0, 180(%rsp)
.Ltmp27:
	.loc	1 76 37
	movl	$12, 192(%rsp)
	movb	$0, 188(%rsp)
.Ltmp28:
	.loc	1 77 44
	movb	$2, 199(%rsp)
.Ltmp29:
	.loc	1 78 20
	movq	$99, 200(%rsp)
.Ltmp30:
	.loc	1 79 31
	leaq	64(%rsp), %rax
	movq	%rax, 208(%rsp)
.Ltmp31:
	.loc	1 80 20
	movb	$120, 222(%rsp)
.Ltmp32:
	.loc	1 82 19
	leaq	64(%rsp), %rax
	movq	%rax, 288(%rsp)
	leaq	72(%rsp), %rax
	movq	%rax, 296(%rsp)
	leaq	80(%rsp), %rax
	movq	%rax, 304(%rsp)
	leaq	97(%rsp), %rax
	movq	%rax, 312(%rsp)
	leaq	98(%rsp), %rax
	movq	%rax, 320(%rsp)
	leaq	104(%rsp), %rax
	movq	%rax, 328(%rsp)
	leaq	126(%rsp), %rax
	movq	%rax, 336(%rsp)
	leaq	127(%rsp), %rax
	movq	%rax, 344(%rsp)
	.loc	1 82 9 is_stmt 0
	leaq	224(%rsp), %rdi
	leaq	288(%rsp), %rsi
	callq	_ZN4core4hint9black_box17h7e09efb2a02b3b0fE
	.loc	1 83 19 is_stmt 1
	leaq	128(%rsp), %rax
	movq	%rax, 416(%rsp)
	leaq	144(%rsp), %rax
	movq	%rax, 424(%rsp)
	leaq	160(%rsp), %rax
	movq	%rax, 432(%rsp)
	leaq	168(%rsp), %rax
	movq	%rax, 440(%rsp)
	leaq	180(%rsp), %rax
	movq	%rax, 448(%rsp)
	leaq	188(%rsp), %rax
	movq	%rax, 456(%rsp)
	leaq	199(%rsp), %rax
	movq	%rax, 464(%rsp)
	leaq	200(%rsp), %rax
	movq	%rax, 472(%rsp)
	.loc	1 83 9 is_stmt 0
	leaq	352(%rsp), %rdi
	leaq	416(%rsp), %rsi
	callq	_ZN4core4hint9black_box17h4db613767e88e555E
	movq	8(%rsp), %rdx
	movq	16(%rsp), %rcx
	movq	24(%rsp), %r8
	movl	36(%rsp), %r9d
	.loc	1 84 19 is_stmt 1
	leaq	208(%rsp), %rax
	movq	%rax, 552(%rsp)
	leaq	222(%rsp), %rax
	movq	%rax, 560(%rsp)
	leaq	223(%rsp), %rax
	movq	%rax, 568(%rsp)
	movq	%rdx, 576(%rsp)
	movq	%rcx, 584(%rsp)
	movq	%r8, 592(%rsp)
	movl	%r9d, 608(%rsp)
	leaq	56(%rsp), %rax
	movq	%rax, 600(%rsp)
	leaq	_ZN7figures4deep5LIMIT17h77f64011c766217bE(%rip), %rax
	movq	%rax, 616(%rsp)
	.loc	1 84 9 is_stmt 0
	leaq	480(%rsp), %rdi
	leaq	552(%rsp), %rsi
	callq	_ZN4core4hint9black_box17h5ee43ddc84fe5dceE
	.loc	1 85 20 is_stmt 1
	movq	_ZN7figures5TITLE17h6a8a33bb55ba72b1E(%rip), %rdi
	movq	_ZN7figures5TITLE17h6a8a33bb55ba72b1E+8(%rip), %rsi
	.loc	1 85 27 is_stmt 0
	movb	76(%rsp), %dl
	.loc	1 85 35
	movl	72(%rsp), %ecx
	.loc	1 85 43
	movq	200(%rsp), %rax
	.loc	1 85 19
	movq	%rdi, 656(%rsp)
	movq	%rsi, 664(%rsp)
	movb	%dl, 676(%rsp)
	movl	%ecx, 672(%rsp)
	movq	%rax, 680(%rsp)
	.loc	1 85 9
	leaq	624(%rsp), %rdi
	leaq	656(%rsp), %rsi
	callq	_ZN4core4hint9black_box17h7c5f5c571bfb2a19E
	movq	40(%rsp), %rdi
	movl	52(%rsp), %eax
	.loc	1 86 9 is_stmt 1
	movq	16(%rdi), %rcx
	addq	$1, %rcx
	movq	%rcx, 16(%rdi)
.Ltmp33:
	.loc	1 88 6 epilogue_begin
	addq	$744, %rsp
	.cfi_def_cfa_offset 8
	retq
.Ltmp34:
.Lfunc_end6:
	.size	_ZN7figures7Counter4look17h1facf7f1c6cea2c1E, .Lfunc_end6-_ZN7figures7Counter4look17h1facf7f1c6cea2c1E
	.cfi_endproc

	.section	.rodata.cst8,"aM",@progbits,8
	.p2align	3, 0x0
.LCPI7_0:
	.quad	0x3ff8000000000000
	.section	.text.main,"ax",@progbits
	.globl	main
	.p2align	4
	.type	main,@function
main:
.Lfunc_begin7:
	.loc	1 92 0
	.cfi_startproc
	subq	$168, %rsp
	.cfi_def_cfa_offset 176
.Ltmp35:
	.loc	1 93 17 prologue_end
	movl	$1, 40(%rsp)
	movl	$2, 44(%rsp)
.Ltmp36:
	.loc	1 94 18
	movsd	.LCPI7_0(%rip), %xmm0
	movsd	%xmm0, 56(%rsp)
	movl	$0, 48(%rsp)
.Ltmp37:
	.loc	1 95 21
	movl	$0, 64(%rsp)
.Ltmp38:
	.loc	1 96 19
	movl	$0, 68(%rsp)
.Ltmp39:
	.loc	1 98 14
	movl	$120, %edi
	callq	*alarm@GOTPCREL(%rip)
.LBB7_1:
	.loc	1 99 11
	cmpl	$3, 64(%rsp)
	jl	.LBB7_3
	.loc	1 106 8
	cmpl	$18, 68(%rsp)
	je	.LBB7_5
	jmp	.LBB7_4
.LBB7_3:
	.loc	1 100 23
	cmpl	$0, 64(%rsp)
	je	.LBB7_8
	jmp	.LBB7_7
.LBB7_4:
	.loc	1 106 31
	movl	$1, 36(%rsp)
	.loc	1 106 5 is_stmt 0
	jmp	.LBB7_6
.LBB7_5:
	.loc	1 106 20
	movl	$0, 36(%rsp)
.Ltmp40:
.LBB7_6:
	.loc	1 107 2 is_stmt 1
	movl	36(%rsp), %eax
	.loc	1 107 2 epilogue_begin is_stmt 0
	addq	$168, %rsp
	.cfi_def_cfa_offset 8
	retq
.LBB7_7:
	.cfi_def_cfa_offset 176
.Ltmp41:
	.loc	1 100 51 is_stmt 1
	leaq	.Lanon.8366d76b748643162735560495fce882.1(%rip), %rax
	movq	%rax, 72(%rsp)
	movq	$3, 80(%rsp)
	.loc	1 100 20 is_stmt 0
	jmp	.LBB7_9
.LBB7_8:
	.loc	1 100 36
	leaq	.Lanon.8366d76b748643162735560495fce882.2(%rip), %rax
	movq	%rax, 72(%rsp)
	movq	$3, 80(%rsp)
.LBB7_9:
.Ltmp42:
	.loc	1 101 46 is_stmt 1
	movq	72(%rsp), %rcx
	movq	80(%rsp), %rax
	.loc	1 101 27 is_stmt 0
	movq	$3, 104(%rsp)
	movq	%rcx, 88(%rsp)
	movq	%rax, 96(%rsp)
	leaq	40(%rsp), %rax
	movq	%rax, 112(%rsp)
.Ltmp43:
	.loc	1 102 32 is_stmt 1
	movq	72(%rsp), %rdx
	movq	80(%rsp), %rcx
	.loc	1 102 16 is_stmt 0
	movl	40(%rsp), %r9d
	movl	44(%rsp), %eax
	.loc	1 102 24
	leaq	88(%rsp), %rdi
	movl	$6, %esi
	leaq	48(%rsp), %r8
	movl	%eax, (%rsp)
	movl	$1, 8(%rsp)
	movl	$4, 16(%rsp)
	callq	_ZN7figures7Counter4look17h1facf7f1c6cea2c1E
	.loc	1 102 9
	addl	68(%rsp), %eax
	movl	%eax, 68(%rsp)
	.loc	1 103 20 is_stmt 1
	leaq	88(%rsp), %rcx
	addq	$16, %rcx
	.loc	1 103 50 is_stmt 0
	leaq	88(%rsp), %rax
	addq	$24, %rax
	.loc	1 103 19
	movq	%rcx, 144(%rsp)
	leaq	88(%rsp), %rcx
	movq	%rcx, 152(%rsp)
	movq	%rax, 160(%rsp)
	.loc	1 103 9
	leaq	120(%rsp), %rdi
	leaq	144(%rsp), %rsi
	callq	_ZN4core4hint9black_box17h38b7b913f4883493E
	.loc	1 104 9 is_stmt 1
	movl	64(%rsp), %eax
	addl	$1, %eax
	movl	%eax, 64(%rsp)
.Ltmp44:
	.loc	1 99 5
	jmp	.LBB7_1
.Ltmp45:
.Lfunc_end7:
	.size	main, .Lfunc_end7-main
	.cfi_endproc

	.type	_ZN7figures4deep5LIMIT17h77f64011c766217bE,@object
	.section	.rodata._ZN7figures4deep5LIMIT17h77f64011c766217bE,"a",@progbits
	.p2align	2, 0x0
_ZN7figures4deep5LIMIT17h77f64011c766217bE:
	.asciz	"\036\000\000"
	.size	_ZN7figures4deep5LIMIT17h77f64011c766217bE, 4

	.type	.Lanon.8366d76b748643162735560495fce882.0,@object
	.section	.rodata..Lanon.8366d76b748643162735560495fce882.0,"a",@progbits
.Lanon.8366d76b748643162735560495fce882.0:
	.ascii	"a title"
	.size	.Lanon.8366d76b748643162735560495fce882.0, 7

	.type	_ZN7figures5TITLE17h6a8a33bb55ba72b1E,@object
	.section	.data.rel.ro._ZN7figures5TITLE17h6a8a33bb55ba72b1E,"aw",@progbits
	.p2align	3, 0x0
_ZN7figures5TITLE17h6a8a33bb55ba72b1E:
	.quad	.Lanon.8366d76b748643162735560495fce882.0
	.asciz	"\007\000\000\000\000\000\000"
	.size	_ZN7figures5TITLE17h6a8a33bb55ba72b1E, 16

	.type	.Lanon.8366d76b748643162735560495fce882.1,@object
	.section	.rodata..Lanon.8366d76b748643162735560495fce882.1,"a",@progbits
.Lanon.8366d76b748643162735560495fce882.1:
	.ascii	"two"
	.size	.Lanon.8366d76b748643162735560495fce882.1, 3

	.type	.Lanon.8366d76b748643162735560495fce882.2,@object
	.section	.rodata..Lanon.8366d76b748643162735560495fce882.2,"a",@progbits
.Lanon.8366d76b748643162735560495fce882.2:
	.ascii	"one"
	.size	.Lanon.8366d76b748643162735560495fce882.2, 3

	.type	__rustc_debug_gdb_scripts_section__,@object
	.section	.debug_gdb_scripts,"aMS",@progbits,1,unique,1
	.weak	__rustc_debug_gdb_scripts_section__
__rustc_debug_gdb_scripts_section__:
	.asciz	"\001gdb_load_rust_pretty_printers.py"
	.size	__rustc_debug_gdb_scripts_section__, 34

	.section	.debug_loclists,"",@progbits
	.long	.Ldebug_list_header_end0-.Ldebug_list_header_start0
.Ldebug_list_header_start0:
	.short	5
	.byte	8
	.byte	0
	.long	3
.Lloclists_table_base0:
	.long	.Ldebug_loc0-.Lloclists_table_base0
	.long	.Ldebug_loc1-.Lloclists_table_base0
	.long	.Ldebug_loc2-.Lloclists_table_base0
.Ldebug_loc0:
	.byte	1
	.byte	4
	.byte	4
	.uleb128 .Ltmp4-.Lfunc_begin2
	.uleb128 .Ltmp5-.Lfunc_begin2
	.byte	2
	.byte	116
	.byte	0
	.byte	4
	.uleb128 .Ltmp5-.Lfunc_begin2
	.uleb128 .Lfunc_end2-.Lfunc_begin2
	.byte	3
	.byte	163
	.byte	1
	.byte	84
	.byte	0
.Ldebug_loc1:
	.byte	1
	.byte	5
	.byte	4
	.uleb128 .Ltmp7-.Lfunc_begin3
	.uleb128 .Ltmp8-.Lfunc_begin3
	.byte	2
	.byte	116
	.byte	0
	.byte	4
	.uleb128 .Ltmp8-.Lfunc_begin3
	.uleb128 .Lfunc_end3-.Lfunc_begin3
	.byte	3
	.byte	163
	.byte	1
	.byte	84
	.byte	0
.Ldebug_loc2:
	.byte	1
	.byte	7
	.byte	4
	.uleb128 .Ltmp12-.Lfunc_begin5
	.uleb128 .Ltmp13-.Lfunc_begin5
	.byte	2
	.byte	116
	.byte	0
	.byte	4
	.uleb128 .Ltmp13-.Lfunc_begin5
	.uleb128 .Lfunc_end5-.Lfunc_begin5
	.byte	3
	.byte	163
	.byte	1
	.byte	84
	.byte	0
.Ldebug_list_header_end0:
	.section	.debug_abbrev,"",@progbits
	.byte	1
	.byte	17
	.byte	1
	.byte	37
	.byte	37
	.byte	19
	.byte	5
	.byte	3
	.byte	37
	.byte	114
	.byte	23
	.byte	16
	.byte	23
	.byte	27
	.byte	37
	.byte	17
	.byte	1
	.byte	85
	.byte	35
	.byte	115
	.byte	23
	.byte	116
	.byte	23
	.ascii	"\214\001"
	.byte	23
	.byte	0
	.byte	0
	.byte	2
	.byte	57
	.byte	1
	.byte	3
	.byte	37
	.byte	0
	.byte	0
	.byte	3
	.byte	52
	.byte	0
	.byte	3
	.byte	37
	.byte	73
	.byte	19
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.ascii	"\210\001"
	.byte	15
	.byte	2
	.byte	24
	.byte	110
	.byte	37
	.byte	0
	.byte	0
	.byte	4
	.byte	19
	.byte	1
	.byte	3
	.byte	37
	.byte	11
	.byte	11
	.byte	50
	.byte	11
	.ascii	"\210\001"
	.byte	15
	.byte	0
	.byte	0
	.byte	5
	.byte	13
	.byte	0
	.byte	3
	.byte	37
	.byte	73
	.byte	19
	.ascii	"\210\001"
	.byte	15
	.byte	56
	.byte	11
	.byte	50
	.byte	11
	.byte	0
	.byte	0
	.byte	6
	.byte	4
	.byte	1
	.byte	73
	.byte	19
	.byte	109
	.byte	25
	.byte	3
	.byte	37
	.byte	11
	.byte	11
	.ascii	"\210\001"
	.byte	15
	.byte	0
	.byte	0
	.byte	7
	.byte	40
	.byte	0
	.byte	3
	.byte	37
	.byte	28
	.byte	15
	.byte	0
	.byte	0
	.byte	8
	.byte	46
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	64
	.byte	24
	.byte	110
	.byte	37
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.ascii	"\207\001"
	.byte	25
	.byte	0
	.byte	0
	.byte	9
	.byte	5
	.byte	0
	.byte	2
	.byte	24
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	10
	.byte	46
	.byte	1
	.byte	110
	.byte	37
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	60
	.byte	25
	.byte	0
	.byte	0
	.byte	11
	.byte	5
	.byte	0
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	12
	.byte	51
	.byte	1
	.byte	21
	.byte	19
	.byte	0
	.byte	0
	.byte	13
	.byte	13
	.byte	0
	.byte	73
	.byte	19
	.ascii	"\210\001"
	.byte	15
	.byte	56
	.byte	11
	.byte	52
	.byte	25
	.byte	0
	.byte	0
	.byte	14
	.byte	25
	.byte	1
	.byte	22
	.byte	11
	.byte	0
	.byte	0
	.byte	15
	.byte	13
	.byte	0
	.byte	3
	.byte	37
	.byte	73
	.byte	19
	.ascii	"\210\001"
	.byte	15
	.byte	56
	.byte	11
	.byte	0
	.byte	0
	.byte	16
	.byte	19
	.byte	0
	.byte	3
	.byte	37
	.byte	11
	.byte	11
	.byte	50
	.byte	11
	.ascii	"\210\001"
	.byte	15
	.byte	0
	.byte	0
	.byte	17
	.byte	46
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	64
	.byte	24
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	63
	.byte	25
	.byte	0
	.byte	0
	.byte	18
	.byte	11
	.byte	1
	.byte	85
	.byte	35
	.byte	0
	.byte	0
	.byte	19
	.byte	52
	.byte	0
	.byte	2
	.byte	24
	.byte	3
	.byte	37
	.ascii	"\210\001"
	.byte	15
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	20
	.byte	11
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	0
	.byte	0
	.byte	21
	.byte	36
	.byte	0
	.byte	3
	.byte	37
	.byte	62
	.byte	11
	.byte	11
	.byte	11
	.byte	0
	.byte	0
	.byte	22
	.byte	19
	.byte	1
	.byte	3
	.byte	37
	.byte	11
	.byte	11
	.ascii	"\210\001"
	.byte	15
	.byte	0
	.byte	0
	.byte	23
	.byte	15
	.byte	0
	.byte	73
	.byte	19
	.byte	51
	.byte	6
	.byte	0
	.byte	0
	.byte	24
	.byte	46
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	64
	.byte	24
	.byte	110
	.byte	37
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	5
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	25
	.byte	5
	.byte	0
	.byte	2
	.byte	24
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	5
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	26
	.byte	47
	.byte	0
	.byte	73
	.byte	19
	.byte	3
	.byte	37
	.byte	0
	.byte	0
	.byte	27
	.byte	5
	.byte	0
	.byte	2
	.byte	34
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	5
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	28
	.byte	25
	.byte	1
	.byte	0
	.byte	0
	.byte	29
	.byte	15
	.byte	0
	.byte	73
	.byte	19
	.byte	3
	.byte	37
	.byte	51
	.byte	6
	.byte	0
	.byte	0
	.byte	30
	.byte	46
	.byte	1
	.byte	17
	.byte	27
	.byte	18
	.byte	6
	.byte	64
	.byte	24
	.byte	71
	.byte	19
	.byte	0
	.byte	0
	.byte	31
	.byte	5
	.byte	0
	.byte	2
	.byte	24
	.byte	3
	.byte	37
	.byte	58
	.byte	11
	.byte	59
	.byte	11
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	32
	.byte	1
	.byte	1
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	33
	.byte	33
	.byte	0
	.byte	73
	.byte	19
	.byte	55
	.byte	11
	.byte	0
	.byte	0
	.byte	34
	.byte	36
	.byte	0
	.byte	3
	.byte	37
	.byte	11
	.byte	11
	.byte	62
	.byte	11
	.byte	0
	.byte	0
	.byte	35
	.byte	21
	.byte	1
	.byte	73
	.byte	19
	.byte	0
	.byte	0
	.byte	36
	.byte	19
	.byte	0
	.byte	3
	.byte	37
	.byte	11
	.byte	11
	.ascii	"\210\001"
	.byte	15
	.byte	0
	.byte	0
	.byte	0
	.section	.debug_info,"",@progbits
.Lcu_begin0:
	.long	.Ldebug_info_end0-.Ldebug_info_start0
.Ldebug_info_start0:
	.short	5
	.byte	1
	.byte	8
	.long	.debug_abbrev
	.byte	1
	.byte	0
	.short	28
	.byte	1
	.long	.Lstr_offsets_base0
	.long	.Lline_table_start0
	.byte	2
	.quad	0
	.byte	4
	.long	.Laddr_table_base0
	.long	.Lrnglists_table_base0
	.long	.Lloclists_table_base0
	.byte	2
	.byte	3
	.byte	2
	.byte	4
	.byte	3
	.byte	5
	.long	472
	.byte	1
	.byte	46
	.byte	4
	.byte	2
	.byte	161
	.byte	0
	.byte	7
	.byte	4
	.byte	75
	.byte	8
	.byte	1
	.byte	8
	.byte	5
	.byte	74
	.long	1588
	.byte	8
	.byte	0
	.byte	1
	.byte	0
	.byte	0
	.byte	3
	.byte	8
	.long	476
	.byte	1
	.byte	52
	.byte	8
	.byte	2
	.byte	161
	.byte	1
	.byte	14
	.byte	6
	.long	506

	.byte	17
	.byte	1
	.byte	1
	.byte	7
	.byte	15
	.byte	0
	.byte	7
	.byte	16
	.byte	5
	.byte	0
	.byte	8
	.byte	2
	.long	.Lfunc_end0-.Lfunc_begin0
	.byte	1
	.byte	87
	.byte	48
	.byte	49
	.byte	1
	.byte	16

	.byte	9
	.byte	2
	.byte	145
	.byte	120
	.byte	1
	.byte	16
	.long	2638
	.byte	0
	.byte	4
	.byte	34
	.byte	32
	.byte	1
	.byte	8
	.byte	5
	.byte	20
	.long	1588
	.byte	8
	.byte	16
	.byte	3
	.byte	5
	.byte	22
	.long	476
	.byte	8
	.byte	0
	.byte	3
	.byte	5
	.byte	23
	.long	695
	.byte	8
	.byte	24
	.byte	3
	.byte	10
	.byte	35
	.byte	36
	.byte	1
	.byte	62
	.long	472

	.byte	11
	.long	1602
	.byte	11
	.long	472
	.byte	11
	.long	476
	.byte	11
	.long	1612
	.byte	11
	.long	204
	.byte	11
	.long	768
	.byte	0
	.byte	0
	.byte	4
	.byte	28
	.byte	8
	.byte	1
	.byte	4
	.byte	5
	.byte	26
	.long	472
	.byte	4
	.byte	0
	.byte	1
	.byte	5
	.byte	27
	.long	472
	.byte	4
	.byte	4
	.byte	1
	.byte	0
	.byte	4
	.byte	45
	.byte	16
	.byte	1
	.byte	8
	.byte	12
	.long	238
	.byte	13
	.long	1622
	.byte	4
	.byte	0

	.byte	14
	.byte	0
	.byte	15
	.byte	39
	.long	279
	.byte	8
	.byte	0
	.byte	0
	.byte	14
	.byte	1
	.byte	15
	.byte	41
	.long	294
	.byte	8
	.byte	0
	.byte	0
	.byte	14
	.byte	2
	.byte	15
	.byte	44
	.long	318
	.byte	8
	.byte	0
	.byte	0
	.byte	0
	.byte	4
	.byte	39
	.byte	16
	.byte	1
	.byte	8
	.byte	5
	.byte	32
	.long	1626
	.byte	8
	.byte	8
	.byte	1
	.byte	0
	.byte	4
	.byte	41
	.byte	16
	.byte	1
	.byte	8
	.byte	5
	.byte	42
	.long	472
	.byte	4
	.byte	4
	.byte	1
	.byte	5
	.byte	43
	.long	472
	.byte	4
	.byte	8
	.byte	1
	.byte	0
	.byte	16
	.byte	44
	.byte	16
	.byte	1
	.byte	8
	.byte	0
	.byte	17
	.byte	26
	.long	.Lfunc_end7-.Lfunc_begin7
	.byte	1
	.byte	87
	.byte	108
	.byte	1
	.byte	92
	.long	472

	.byte	18
	.byte	0
	.byte	19
	.byte	2
	.byte	145
	.byte	40
	.byte	191
	.byte	4
	.byte	1
	.byte	93
	.long	204
	.byte	18
	.byte	1
	.byte	19
	.byte	2
	.byte	145
	.byte	48
	.byte	192
	.byte	8
	.byte	1
	.byte	94
	.long	228
	.byte	18
	.byte	2
	.byte	19
	.byte	3
	.byte	145
	.asciz	"\300"
	.byte	193
	.byte	4
	.byte	1
	.byte	95
	.long	472
	.byte	18
	.byte	3
	.byte	19
	.byte	3
	.byte	145
	.asciz	"\304"
	.byte	194
	.byte	4
	.byte	1
	.byte	96
	.long	472
	.byte	20
	.byte	27
	.long	.Ltmp44-.Ltmp42
	.byte	19
	.byte	3
	.byte	145
	.asciz	"\310"
	.byte	22
	.byte	8
	.byte	1
	.byte	100
	.long	476
	.byte	20
	.byte	28
	.long	.Ltmp44-.Ltmp43
	.byte	19
	.byte	3
	.byte	145
	.asciz	"\330"
	.byte	195
	.byte	8
	.byte	1
	.byte	101
	.long	131
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	16
	.byte	83
	.byte	0
	.byte	1
	.byte	1
	.byte	4
	.byte	93
	.byte	8
	.byte	1
	.byte	4
	.byte	5
	.byte	32
	.long	506
	.byte	1
	.byte	4
	.byte	3
	.byte	5
	.byte	51
	.long	2422
	.byte	4
	.byte	0
	.byte	3
	.byte	0
	.byte	0
	.byte	21
	.byte	6
	.byte	5
	.byte	4
	.byte	22
	.byte	13
	.byte	16
	.byte	8
	.byte	15
	.byte	9
	.long	497
	.byte	8
	.byte	0
	.byte	15
	.byte	11
	.long	510
	.byte	8
	.byte	8
	.byte	0
	.byte	23
	.long	506
	.long	0
	.byte	21
	.byte	10
	.byte	7
	.byte	1
	.byte	21
	.byte	12
	.byte	7
	.byte	8
	.byte	2
	.byte	18
	.byte	2
	.byte	19
	.byte	24
	.byte	3
	.long	.Lfunc_end1-.Lfunc_begin1
	.byte	1
	.byte	87
	.byte	56
	.byte	57
	.byte	2
	.short	490
	.long	2094
	.byte	25
	.byte	2
	.byte	116
	.byte	0
	.byte	165
	.byte	2
	.short	490
	.long	2094
	.byte	26
	.long	2094
	.byte	30
	.byte	0
	.byte	24
	.byte	4
	.long	.Lfunc_end2-.Lfunc_begin2
	.byte	1
	.byte	87
	.byte	78
	.byte	79
	.byte	2
	.short	490
	.long	2153
	.byte	27
	.byte	0
	.byte	165
	.byte	2
	.short	490
	.long	2153
	.byte	26
	.long	2153
	.byte	30
	.byte	0
	.byte	24
	.byte	5
	.long	.Lfunc_end3-.Lfunc_begin3
	.byte	1
	.byte	87
	.byte	87
	.byte	88
	.byte	2
	.short	490
	.long	2266
	.byte	27
	.byte	1
	.byte	165
	.byte	2
	.short	490
	.long	2266
	.byte	26
	.long	2266
	.byte	30
	.byte	0
	.byte	24
	.byte	6
	.long	.Lfunc_end4-.Lfunc_begin4
	.byte	1
	.byte	87
	.byte	91
	.byte	92
	.byte	2
	.short	490
	.long	2385
	.byte	25
	.byte	2
	.byte	116
	.byte	0
	.byte	165
	.byte	2
	.short	490
	.long	2385
	.byte	26
	.long	2385
	.byte	30
	.byte	0
	.byte	24
	.byte	7
	.long	.Lfunc_end5-.Lfunc_begin5
	.byte	1
	.byte	87
	.byte	106
	.byte	107
	.byte	2
	.short	490
	.long	2426
	.byte	27
	.byte	2
	.byte	165
	.byte	2
	.short	490
	.long	2426
	.byte	26
	.long	2426
	.byte	30
	.byte	0
	.byte	0
	.byte	2
	.byte	24
	.byte	4
	.byte	33
	.byte	8
	.byte	1
	.byte	8
	.byte	12
	.long	705
	.byte	13
	.long	1588
	.byte	8
	.byte	0

	.byte	14
	.byte	0
	.byte	15
	.byte	25
	.long	734
	.byte	8
	.byte	0
	.byte	0
	.byte	28
	.byte	15
	.byte	31
	.long	746
	.byte	8
	.byte	0
	.byte	0
	.byte	0
	.byte	4
	.byte	25
	.byte	8
	.byte	1
	.byte	8
	.byte	26
	.long	1592
	.byte	30
	.byte	0
	.byte	4
	.byte	31
	.byte	8
	.byte	1
	.byte	8
	.byte	26
	.long	1592
	.byte	30
	.byte	5
	.byte	32
	.long	1592
	.byte	8
	.byte	0
	.byte	1
	.byte	0
	.byte	0
	.byte	4
	.byte	47
	.byte	8
	.byte	1
	.byte	4
	.byte	12
	.long	778
	.byte	13
	.long	1622
	.byte	4
	.byte	0

	.byte	14
	.byte	0
	.byte	15
	.byte	25
	.long	808
	.byte	4
	.byte	0
	.byte	0
	.byte	14
	.byte	1
	.byte	15
	.byte	31
	.long	820
	.byte	4
	.byte	0
	.byte	0
	.byte	0
	.byte	4
	.byte	25
	.byte	8
	.byte	1
	.byte	4
	.byte	26
	.long	472
	.byte	30
	.byte	0
	.byte	4
	.byte	31
	.byte	8
	.byte	1
	.byte	4
	.byte	26
	.long	472
	.byte	30
	.byte	5
	.byte	32
	.long	472
	.byte	4
	.byte	4
	.byte	1
	.byte	0
	.byte	0
	.byte	4
	.byte	71
	.byte	1
	.byte	1
	.byte	1
	.byte	12
	.long	852
	.byte	13
	.long	506
	.byte	1
	.byte	0

	.byte	14
	.byte	3
	.byte	15
	.byte	25
	.long	881
	.byte	1
	.byte	0
	.byte	0
	.byte	28
	.byte	15
	.byte	31
	.long	893
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	4
	.byte	25
	.byte	1
	.byte	1
	.byte	1
	.byte	26
	.long	915
	.byte	30
	.byte	0
	.byte	4
	.byte	31
	.byte	1
	.byte	1
	.byte	1
	.byte	26
	.long	915
	.byte	30
	.byte	5
	.byte	32
	.long	915
	.byte	1
	.byte	0
	.byte	1
	.byte	0
	.byte	0
	.byte	4
	.byte	70
	.byte	1
	.byte	1
	.byte	1
	.byte	12
	.long	925
	.byte	13
	.long	506
	.byte	1
	.byte	0

	.byte	14
	.byte	2
	.byte	15
	.byte	25
	.long	954
	.byte	1
	.byte	0
	.byte	0
	.byte	28
	.byte	15
	.byte	31
	.long	966
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	4
	.byte	25
	.byte	1
	.byte	1
	.byte	1
	.byte	26
	.long	2252
	.byte	30
	.byte	0
	.byte	4
	.byte	31
	.byte	1
	.byte	1
	.byte	1
	.byte	26
	.long	2252
	.byte	30
	.byte	5
	.byte	32
	.long	2252
	.byte	1
	.byte	0
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.byte	62
	.byte	4
	.byte	66
	.byte	8
	.byte	1
	.byte	4
	.byte	12
	.long	1001
	.byte	13
	.long	506
	.byte	1
	.byte	0

	.byte	14
	.byte	0
	.byte	15
	.byte	63
	.long	1031
	.byte	4
	.byte	0
	.byte	0
	.byte	14
	.byte	1
	.byte	15
	.byte	65
	.long	1058
	.byte	4
	.byte	0
	.byte	0
	.byte	0
	.byte	4
	.byte	63
	.byte	8
	.byte	1
	.byte	4
	.byte	26
	.long	1622
	.byte	30
	.byte	26
	.long	506
	.byte	64
	.byte	5
	.byte	32
	.long	1622
	.byte	4
	.byte	4
	.byte	1
	.byte	0
	.byte	4
	.byte	65
	.byte	8
	.byte	1
	.byte	4
	.byte	26
	.long	1622
	.byte	30
	.byte	26
	.long	506
	.byte	64
	.byte	5
	.byte	32
	.long	506
	.byte	1
	.byte	1
	.byte	1
	.byte	0
	.byte	0
	.byte	4
	.byte	127
	.byte	1
	.byte	1
	.byte	1
	.byte	12
	.long	1096
	.byte	13
	.long	506
	.byte	1
	.byte	0

	.byte	14
	.byte	0
	.byte	15
	.byte	63
	.long	1126
	.byte	1
	.byte	0
	.byte	0
	.byte	14
	.byte	1
	.byte	15
	.byte	65
	.long	1153
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	4
	.byte	63
	.byte	1
	.byte	1
	.byte	1
	.byte	26
	.long	2554
	.byte	30
	.byte	26
	.long	1407
	.byte	64
	.byte	5
	.byte	32
	.long	2554
	.byte	1
	.byte	1
	.byte	1
	.byte	0
	.byte	4
	.byte	65
	.byte	1
	.byte	1
	.byte	1
	.byte	26
	.long	2554
	.byte	30
	.byte	26
	.long	1407
	.byte	64
	.byte	5
	.byte	32
	.long	1407
	.byte	1
	.byte	1
	.byte	1
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.byte	49
	.byte	2
	.byte	109
	.byte	4
	.byte	163
	.byte	24
	.byte	1
	.byte	8
	.byte	5
	.byte	110
	.long	2648
	.byte	8
	.byte	0
	.byte	3
	.byte	5
	.byte	151
	.long	2780
	.byte	8
	.byte	8
	.byte	3
	.byte	5
	.byte	161
	.long	2252
	.byte	1
	.byte	16
	.byte	3
	.byte	5
	.byte	162
	.long	2252
	.byte	1
	.byte	17
	.byte	3
	.byte	0
	.byte	0
	.byte	2
	.byte	151
	.byte	4
	.byte	159
	.byte	24
	.byte	1
	.byte	8
	.byte	5
	.byte	152
	.long	1537
	.byte	8
	.byte	0
	.byte	3
	.byte	5
	.byte	155
	.long	1622
	.byte	4
	.byte	16
	.byte	3
	.byte	5
	.byte	156
	.long	1622
	.byte	4
	.byte	20
	.byte	3
	.byte	5
	.byte	157
	.long	1574
	.byte	1
	.byte	24
	.byte	3
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.byte	111
	.byte	4
	.byte	149
	.byte	16
	.byte	1
	.byte	8
	.byte	5
	.byte	112
	.long	1474
	.byte	8
	.byte	0
	.byte	3
	.byte	5
	.byte	118
	.long	1495
	.byte	8
	.byte	8
	.byte	3
	.byte	0
	.byte	2
	.byte	119
	.byte	4
	.byte	146
	.byte	16
	.byte	1
	.byte	8
	.byte	5
	.byte	120
	.long	1318
	.byte	8
	.byte	0
	.byte	3
	.byte	0
	.byte	4
	.byte	145
	.byte	16
	.byte	3
	.byte	8
	.byte	12
	.long	1328
	.byte	13
	.long	1588
	.byte	8
	.byte	0

	.byte	28
	.byte	15
	.byte	121
	.long	1357
	.byte	8
	.byte	0
	.byte	0
	.byte	14
	.byte	0
	.byte	15
	.byte	144
	.long	1390
	.byte	8
	.byte	0
	.byte	0
	.byte	0
	.byte	4
	.byte	121
	.byte	16
	.byte	3
	.byte	8
	.byte	5
	.byte	122
	.long	1516
	.byte	8
	.byte	0
	.byte	3
	.byte	5
	.byte	125
	.long	2678
	.byte	8
	.byte	8
	.byte	3
	.byte	5
	.byte	141
	.long	1562
	.byte	1
	.byte	16
	.byte	3
	.byte	0
	.byte	4
	.byte	144
	.byte	16
	.byte	3
	.byte	8
	.byte	5
	.byte	32
	.long	2580
	.byte	2
	.byte	8
	.byte	3
	.byte	0
	.byte	0
	.byte	0
	.byte	16
	.byte	126
	.byte	0
	.byte	1
	.byte	1
	.byte	4
	.byte	138
	.byte	24
	.byte	1
	.byte	8
	.byte	5
	.byte	128
	.long	1436
	.byte	4
	.byte	16
	.byte	3
	.byte	5
	.byte	133
	.long	2714
	.byte	8
	.byte	0
	.byte	3
	.byte	0
	.byte	4
	.byte	132
	.byte	8
	.byte	1
	.byte	4
	.byte	5
	.byte	129
	.long	1622
	.byte	4
	.byte	0
	.byte	3
	.byte	5
	.byte	130
	.long	2580
	.byte	2
	.byte	4
	.byte	3
	.byte	5
	.byte	131
	.long	2580
	.byte	2
	.byte	6
	.byte	3
	.byte	0
	.byte	0
	.byte	2
	.byte	113
	.byte	2
	.byte	114
	.byte	4
	.byte	117
	.byte	8
	.byte	1
	.byte	8
	.byte	26
	.long	506
	.byte	30
	.byte	5
	.byte	115
	.long	2658
	.byte	8
	.byte	0
	.byte	3
	.byte	0
	.byte	4
	.byte	148
	.byte	8
	.byte	1
	.byte	8
	.byte	26
	.long	1303
	.byte	30
	.byte	5
	.byte	115
	.long	2770
	.byte	8
	.byte	0
	.byte	3
	.byte	0
	.byte	4
	.byte	124
	.byte	8
	.byte	1
	.byte	8
	.byte	26
	.long	2554
	.byte	30
	.byte	5
	.byte	115
	.long	2668
	.byte	8
	.byte	0
	.byte	3
	.byte	0
	.byte	4
	.byte	154
	.byte	16
	.byte	1
	.byte	8
	.byte	26
	.long	506
	.byte	30
	.byte	5
	.byte	115
	.long	2790
	.byte	8
	.byte	0
	.byte	3
	.byte	0
	.byte	0
	.byte	0
	.byte	2
	.byte	142
	.byte	4
	.byte	143
	.byte	0
	.byte	1
	.byte	1
	.byte	26
	.long	2544
	.byte	30
	.byte	0
	.byte	4
	.byte	158
	.byte	0
	.byte	1
	.byte	1
	.byte	26
	.long	476
	.byte	30
	.byte	0
	.byte	0
	.byte	0
	.byte	21
	.byte	21
	.byte	7
	.byte	8
	.byte	29
	.long	204
	.byte	29
	.long	0
	.byte	29
	.long	131
	.byte	37
	.long	0
	.byte	29
	.long	228
	.byte	46
	.long	0
	.byte	21
	.byte	38
	.byte	7
	.byte	4
	.byte	21
	.byte	40
	.byte	4
	.byte	8
	.byte	30
	.byte	8
	.long	.Lfunc_end6-.Lfunc_begin6
	.byte	1
	.byte	87
	.long	163
	.byte	31
	.byte	3
	.byte	145
	.ascii	"\260\005"
	.byte	166
	.byte	1
	.byte	62
	.long	1602
	.byte	31
	.byte	3
	.byte	145
	.ascii	"\274\005"
	.byte	167
	.byte	1
	.byte	62
	.long	472
	.byte	31
	.byte	3
	.byte	145
	.ascii	"\300\005"
	.byte	168
	.byte	1
	.byte	62
	.long	476
	.byte	31
	.byte	3
	.byte	145
	.ascii	"\320\005"
	.byte	169
	.byte	1
	.byte	62
	.long	1612
	.byte	31
	.byte	3
	.byte	145
	.ascii	"\334\005"
	.byte	170
	.byte	1
	.byte	62
	.long	204
	.byte	31
	.byte	2
	.byte	145
	.byte	56
	.byte	171
	.byte	1
	.byte	62
	.long	768
	.byte	20
	.byte	9
	.long	.Ltmp33-.Ltmp16
	.byte	19
	.byte	3
	.byte	145
	.asciz	"\300"
	.byte	172
	.byte	4
	.byte	1
	.byte	63
	.long	204
	.byte	20
	.byte	10
	.long	.Ltmp33-.Ltmp17
	.byte	19
	.byte	3
	.byte	145
	.asciz	"\310"
	.byte	173
	.byte	4
	.byte	1
	.byte	64
	.long	447
	.byte	20
	.byte	11
	.long	.Ltmp33-.Ltmp18
	.byte	19
	.byte	3
	.byte	145
	.asciz	"\320"
	.byte	174
	.byte	8
	.byte	1
	.byte	65
	.long	2515
	.byte	20
	.byte	11
	.long	.Ltmp33-.Ltmp18
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\346\005"
	.byte	189
	.byte	1
	.byte	1
	.byte	66
	.long	2554
	.byte	20
	.byte	12
	.long	.Ltmp33-.Ltmp19
	.byte	19
	.byte	3
	.byte	145
	.asciz	"\342"
	.byte	175
	.byte	2
	.byte	1
	.byte	67
	.long	2568
	.byte	20
	.byte	13
	.long	.Ltmp33-.Ltmp20
	.byte	19
	.byte	3
	.byte	145
	.asciz	"\350"
	.byte	176
	.byte	8
	.byte	1
	.byte	68
	.long	2598
	.byte	20
	.byte	14
	.long	.Ltmp33-.Ltmp21
	.byte	19
	.byte	3
	.byte	145
	.asciz	"\376"
	.byte	177
	.byte	1
	.byte	1
	.byte	69
	.long	93
	.byte	20
	.byte	15
	.long	.Ltmp33-.Ltmp22
	.byte	19
	.byte	3
	.byte	145
	.asciz	"\377"
	.byte	178
	.byte	1
	.byte	1
	.byte	70
	.long	93
	.byte	20
	.byte	16
	.long	.Ltmp33-.Ltmp23
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\200\001"
	.byte	179
	.byte	8
	.byte	1
	.byte	71
	.long	228
	.byte	20
	.byte	17
	.long	.Ltmp33-.Ltmp24
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\220\001"
	.byte	180
	.byte	8
	.byte	1
	.byte	72
	.long	228
	.byte	20
	.byte	18
	.long	.Ltmp33-.Ltmp25
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\240\001"
	.byte	181
	.byte	8
	.byte	1
	.byte	73
	.long	695
	.byte	20
	.byte	19
	.long	.Ltmp33-.Ltmp26
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\250\001"
	.byte	182
	.byte	8
	.byte	1
	.byte	74
	.long	695
	.byte	20
	.byte	20
	.long	.Ltmp33-.Ltmp27
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\264\001"
	.byte	183
	.byte	4
	.byte	1
	.byte	75
	.long	768
	.byte	20
	.byte	21
	.long	.Ltmp33-.Ltmp28
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\274\001"
	.byte	184
	.byte	4
	.byte	1
	.byte	76
	.long	991
	.byte	20
	.byte	22
	.long	.Ltmp33-.Ltmp29
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\307\001"
	.byte	185
	.byte	1
	.byte	1
	.byte	77
	.long	842
	.byte	20
	.byte	23
	.long	.Ltmp33-.Ltmp30
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\310\001"
	.byte	186
	.byte	8
	.byte	1
	.byte	78
	.long	64
	.byte	20
	.byte	24
	.long	.Ltmp33-.Ltmp31
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\320\001"
	.byte	187
	.byte	8
	.byte	1
	.byte	79
	.long	2345
	.byte	20
	.byte	25
	.long	.Ltmp33-.Ltmp32
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\336\001"
	.byte	188
	.byte	1
	.byte	1
	.byte	80
	.long	506
	.byte	20
	.byte	25
	.long	.Ltmp33-.Ltmp32
	.byte	19
	.byte	3
	.byte	145
	.ascii	"\347\005"
	.byte	190
	.byte	1
	.byte	1
	.byte	81
	.long	442
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	0
	.byte	22
	.byte	55
	.byte	24
	.byte	8
	.byte	15
	.byte	32
	.long	2123
	.byte	8
	.byte	0
	.byte	15
	.byte	51
	.long	2133
	.byte	8
	.byte	8
	.byte	15
	.byte	53
	.long	2143
	.byte	8
	.byte	16
	.byte	0
	.byte	29
	.long	1588
	.byte	50
	.long	0
	.byte	29
	.long	476
	.byte	52
	.long	0
	.byte	29
	.long	695
	.byte	54
	.long	0
	.byte	22
	.byte	77
	.byte	64
	.byte	8
	.byte	15
	.byte	32
	.long	1612
	.byte	8
	.byte	0
	.byte	15
	.byte	51
	.long	1612
	.byte	8
	.byte	8
	.byte	15
	.byte	53
	.long	2143
	.byte	8
	.byte	16
	.byte	15
	.byte	58
	.long	2143
	.byte	8
	.byte	24
	.byte	15
	.byte	59
	.long	2222
	.byte	8
	.byte	32
	.byte	15
	.byte	61
	.long	2232
	.byte	8
	.byte	40
	.byte	15
	.byte	68
	.long	2242
	.byte	8
	.byte	48
	.byte	15
	.byte	73
	.long	2256
	.byte	8
	.byte	56
	.byte	0
	.byte	29
	.long	768
	.byte	60
	.long	0
	.byte	29
	.long	991
	.byte	67
	.long	0
	.byte	29
	.long	842
	.byte	72
	.long	0
	.byte	21
	.byte	69
	.byte	2
	.byte	1
	.byte	29
	.long	64
	.byte	76
	.long	0
	.byte	22
	.byte	86
	.byte	72
	.byte	8
	.byte	15
	.byte	32
	.long	2335
	.byte	8
	.byte	0
	.byte	15
	.byte	51
	.long	2355
	.byte	8
	.byte	8
	.byte	15
	.byte	53
	.long	2365
	.byte	8
	.byte	16
	.byte	15
	.byte	58
	.long	476
	.byte	8
	.byte	24
	.byte	15
	.byte	59
	.long	1612
	.byte	8
	.byte	40
	.byte	15
	.byte	61
	.long	472
	.byte	4
	.byte	56
	.byte	15
	.byte	68
	.long	2222
	.byte	8
	.byte	48
	.byte	15
	.byte	73
	.long	2375
	.byte	8
	.byte	64
	.byte	0
	.byte	29
	.long	2345
	.byte	81
	.long	0
	.byte	29
	.long	472
	.byte	80
	.long	0
	.byte	29
	.long	506
	.byte	82
	.long	0
	.byte	29
	.long	442
	.byte	84
	.long	0
	.byte	29
	.long	472
	.byte	85
	.long	0
	.byte	22
	.byte	90
	.byte	32
	.byte	8
	.byte	15
	.byte	32
	.long	476
	.byte	8
	.byte	0
	.byte	15
	.byte	51
	.long	506
	.byte	1
	.byte	20
	.byte	15
	.byte	53
	.long	2422
	.byte	4
	.byte	16
	.byte	15
	.byte	58
	.long	1588
	.byte	8
	.byte	24
	.byte	0
	.byte	21
	.byte	89
	.byte	16
	.byte	4
	.byte	22
	.byte	105
	.byte	64
	.byte	8
	.byte	15
	.byte	32
	.long	1592
	.byte	8
	.byte	0
	.byte	15
	.byte	51
	.long	2495
	.byte	8
	.byte	8
	.byte	15
	.byte	53
	.long	2505
	.byte	8
	.byte	16
	.byte	15
	.byte	58
	.long	2544
	.byte	8
	.byte	24
	.byte	15
	.byte	59
	.long	2558
	.byte	8
	.byte	32
	.byte	15
	.byte	61
	.long	2588
	.byte	8
	.byte	40
	.byte	15
	.byte	68
	.long	2628
	.byte	8
	.byte	48
	.byte	15
	.byte	73
	.long	2628
	.byte	8
	.byte	56
	.byte	0
	.byte	29
	.long	447
	.byte	94
	.long	0
	.byte	29
	.long	2515
	.byte	96
	.long	0
	.byte	22
	.byte	95
	.byte	16
	.byte	8
	.byte	15
	.byte	32
	.long	472
	.byte	4
	.byte	8
	.byte	15
	.byte	51
	.long	1626
	.byte	8
	.byte	0
	.byte	15
	.byte	53
	.long	2252
	.byte	1
	.byte	12
	.byte	0
	.byte	29
	.long	2554
	.byte	98
	.long	0
	.byte	21
	.byte	97
	.byte	7
	.byte	0
	.byte	29
	.long	2568
	.byte	101
	.long	0
	.byte	32
	.long	2580
	.byte	33
	.long	2584
	.byte	3
	.byte	0
	.byte	21
	.byte	99
	.byte	7
	.byte	2
	.byte	34
	.byte	100
	.byte	8
	.byte	7
	.byte	29
	.long	2598
	.byte	103
	.long	0
	.byte	22
	.byte	102
	.byte	16
	.byte	8
	.byte	15
	.byte	9
	.long	2619
	.byte	8
	.byte	0
	.byte	15
	.byte	11
	.long	510
	.byte	8
	.byte	8
	.byte	0
	.byte	23
	.long	2580
	.long	0
	.byte	29
	.long	93
	.byte	104
	.long	0
	.byte	29
	.long	1186
	.byte	164
	.long	0
	.byte	29
	.long	1277
	.byte	150
	.long	0
	.byte	29
	.long	506
	.byte	116
	.long	0
	.byte	29
	.long	2554
	.byte	123
	.long	0
	.byte	29
	.long	2688
	.byte	140
	.long	0
	.byte	35
	.long	1086
	.byte	11
	.long	1516
	.byte	11
	.long	2704
	.byte	0
	.byte	29
	.long	1412
	.byte	139
	.long	0
	.byte	22
	.byte	137
	.byte	16
	.byte	8
	.byte	15
	.byte	115
	.long	2735
	.byte	8
	.byte	0
	.byte	15
	.byte	135
	.long	2748
	.byte	8
	.byte	8
	.byte	0
	.byte	23
	.long	2744
	.long	0
	.byte	36
	.byte	134
	.byte	0
	.byte	1
	.byte	29
	.long	2758
	.byte	136
	.long	0
	.byte	32
	.long	510
	.byte	33
	.long	2584
	.byte	6
	.byte	0
	.byte	29
	.long	1303
	.byte	147
	.long	0
	.byte	29
	.long	1231
	.byte	160
	.long	0
	.byte	22
	.byte	153
	.byte	16
	.byte	8
	.byte	15
	.byte	9
	.long	497
	.byte	8
	.byte	0
	.byte	15
	.byte	11
	.long	510
	.byte	8
	.byte	8
	.byte	0
	.byte	0
.Ldebug_info_end0:
	.section	.rodata._ZN7figures4deep5LIMIT17h77f64011c766217bE,"a",@progbits
.Lsec_end0:
	.section	.data.rel.ro._ZN7figures5TITLE17h6a8a33bb55ba72b1E,"aw",@progbits
.Lsec_end1:
	.section	.text._RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind,"ax",@progbits
.Lsec_end2:
	.section	.text._ZN4core4hint9black_box17h38b7b913f4883493E,"ax",@progbits
.Lsec_end3:
	.section	.text._ZN4core4hint9black_box17h4db613767e88e555E,"ax",@progbits
.Lsec_end4:
	.section	.text._ZN4core4hint9black_box17h5ee43ddc84fe5dceE,"ax",@progbits
.Lsec_end5:
	.section	.text._ZN4core4hint9black_box17h7c5f5c571bfb2a19E,"ax",@progbits
.Lsec_end6:
	.section	.text._ZN4core4hint9black_box17h7e09efb2a02b3b0fE,"ax",@progbits
.Lsec_end7:
	.section	.text._ZN7figures7Counter4look17h1facf7f1c6cea2c1E,"ax",@progbits
.Lsec_end8:
	.section	.text.main,"ax",@progbits
.Lsec_end9:
	.section	.debug_aranges,"",@progbits
	.long	188
	.short	2
	.long	.Lcu_begin0
	.byte	8
	.byte	0
	.zero	4,255
	.quad	_ZN7figures4deep5LIMIT17h77f64011c766217bE
	.quad	.Lsec_end0-_ZN7figures4deep5LIMIT17h77f64011c766217bE
	.quad	_ZN7figures5TITLE17h6a8a33bb55ba72b1E
	.quad	.Lsec_end1-_ZN7figures5TITLE17h6a8a33bb55ba72b1E
	.quad	.Lfunc_begin0
	.quad	.Lsec_end2-.Lfunc_begin0
	.quad	.Lfunc_begin1
	.quad	.Lsec_end3-.Lfunc_begin1
	.quad	.Lfunc_begin2
	.quad	.Lsec_end4-.Lfunc_begin2
	.quad	.Lfunc_begin3
	.quad	.Lsec_end5-.Lfunc_begin3
	.quad	.Lfunc_begin4
	.quad	.Lsec_end6-.Lfunc_begin4
	.quad	.Lfunc_begin5
	.quad	.Lsec_end7-.Lfunc_begin5
	.quad	.Lfunc_begin6
	.quad	.Lsec_end8-.Lfunc_begin6
	.quad	.Lfunc_begin7
	.quad	.Lsec_end9-.Lfunc_begin7
	.quad	0
	.quad	0
	.section	.debug_rnglists,"",@progbits
	.long	.Ldebug_list_header_end1-.Ldebug_list_header_start1
.Ldebug_list_header_start1:
	.short	5
	.byte	8
	.byte	0
	.long	5
.Lrnglists_table_base0:
	.long	.Ldebug_ranges0-.Lrnglists_table_base0
	.long	.Ldebug_ranges1-.Lrnglists_table_base0
	.long	.Ldebug_ranges2-.Lrnglists_table_base0
	.long	.Ldebug_ranges3-.Lrnglists_table_base0
	.long	.Ldebug_ranges4-.Lrnglists_table_base0
.Ldebug_ranges0:
	.byte	1
	.byte	26
	.byte	4
	.uleb128 .Ltmp36-.Lfunc_begin7
	.uleb128 .Ltmp40-.Lfunc_begin7
	.byte	4
	.uleb128 .Ltmp41-.Lfunc_begin7
	.uleb128 .Ltmp45-.Lfunc_begin7
	.byte	0
.Ldebug_ranges1:
	.byte	1
	.byte	26
	.byte	4
	.uleb128 .Ltmp37-.Lfunc_begin7
	.uleb128 .Ltmp40-.Lfunc_begin7
	.byte	4
	.uleb128 .Ltmp41-.Lfunc_begin7
	.uleb128 .Ltmp45-.Lfunc_begin7
	.byte	0
.Ldebug_ranges2:
	.byte	1
	.byte	26
	.byte	4
	.uleb128 .Ltmp38-.Lfunc_begin7
	.uleb128 .Ltmp40-.Lfunc_begin7
	.byte	4
	.uleb128 .Ltmp41-.Lfunc_begin7
	.uleb128 .Ltmp45-.Lfunc_begin7
	.byte	0
.Ldebug_ranges3:
	.byte	1
	.byte	26
	.byte	4
	.uleb128 .Ltmp39-.Lfunc_begin7
	.uleb128 .Ltmp40-.Lfunc_begin7
	.byte	4
	.uleb128 .Ltmp41-.Lfunc_begin7
	.uleb128 .Ltmp45-.Lfunc_begin7
	.byte	0
.Ldebug_ranges4:
	.byte	3
	.byte	2
	.uleb128 .Lfunc_end0-.Lfunc_begin0
	.byte	3
	.byte	3
	.uleb128 .Lfunc_end1-.Lfunc_begin1
	.byte	3
	.byte	4
	.uleb128 .Lfunc_end2-.Lfunc_begin2
	.byte	3
	.byte	5
	.uleb128 .Lfunc_end3-.Lfunc_begin3
	.byte	3
	.byte	6
	.uleb128 .Lfunc_end4-.Lfunc_begin4
	.byte	3
	.byte	7
	.uleb128 .Lfunc_end5-.Lfunc_begin5
	.byte	3
	.byte	8
	.uleb128 .Lfunc_end6-.Lfunc_begin6
	.byte	3
	.byte	26
	.uleb128 .Lfunc_end7-.Lfunc_begin7
	.byte	0
.Ldebug_list_header_end1:
	.section	.debug_str_offsets,"",@progbits
	.long	788
	.short	5
	.short	0
.Lstr_offsets_base0:
	.section	.debug_str,"MS",@progbits,1
.Linfo_string0:
	.asciz	"clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))"
.Linfo_string1:
	.asciz	"figures.rs/@/figures.904e260595835a32-cgu.0"
.Linfo_string2:
	.asciz	"."
.Linfo_string3:
	.asciz	"figures"
.Linfo_string4:
	.asciz	"deep"
.Linfo_string5:
	.asciz	"LIMIT"
.Linfo_string6:
	.asciz	"i32"
.Linfo_string7:
	.asciz	"_ZN7figures4deep5LIMIT17h77f64011c766217bE"
.Linfo_string8:
	.asciz	"TITLE"
.Linfo_string9:
	.asciz	"&str"
.Linfo_string10:
	.asciz	"data_ptr"
.Linfo_string11:
	.asciz	"u8"
.Linfo_string12:
	.asciz	"length"
.Linfo_string13:
	.asciz	"usize"
.Linfo_string14:
	.asciz	"_ZN7figures5TITLE17h6a8a33bb55ba72b1E"
.Linfo_string15:
	.asciz	"Color"
.Linfo_string16:
	.asciz	"Red"
.Linfo_string17:
	.asciz	"Green"
.Linfo_string18:
	.asciz	"panic"
.Linfo_string19:
	.asciz	"_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind"
.Linfo_string20:
	.asciz	"core"
.Linfo_string21:
	.asciz	"hint"
.Linfo_string22:
	.asciz	"black_box<(&u64, &&str, &core::option::Option<&figures::Point>)>"
.Linfo_string23:
	.asciz	"_ZN4core4hint9black_box17h38b7b913f4883493E"
.Linfo_string24:
	.asciz	"black_box<(&figures::Shape, &figures::Shape, &core::option::Option<&figures::Point>, &core::option::Option<&figures::Point>, &core::option::Option<i32>, &core::result::Result<u32, u8>, &core::option::Option<core::option::Option<bool>>, &figures::deep::Leaf)>"
.Linfo_string25:
	.asciz	"_ZN4core4hint9black_box17h4db613767e88e555E"
.Linfo_string26:
	.asciz	"black_box<(&*const i32, &u8, &figures::Unit, &str, &figures::Shape, i32, &core::option::Option<i32>, &i32)>"
.Linfo_string27:
	.asciz	"_ZN4core4hint9black_box17h5ee43ddc84fe5dceE"
.Linfo_string28:
	.asciz	"black_box<(&str, u8, char, u64)>"
.Linfo_string29:
	.asciz	"_ZN4core4hint9black_box17h7c5f5c571bfb2a19E"
.Linfo_string30:
	.asciz	"black_box<(&figures::Point, &figures::Pair, &(i32, f64, bool), &(), &[u16; 3], &&[u16], &figures::Color, &figures::Color)>"
.Linfo_string31:
	.asciz	"_ZN4core4hint9black_box17h7e09efb2a02b3b0fE"
.Linfo_string32:
	.asciz	"Counter"
.Linfo_string33:
	.asciz	"hits"
.Linfo_string34:
	.asciz	"u64"
.Linfo_string35:
	.asciz	"name"
.Linfo_string36:
	.asciz	"last"
.Linfo_string37:
	.asciz	"option"
.Linfo_string38:
	.asciz	"Option<&figures::Point>"
.Linfo_string39:
	.asciz	"None"
.Linfo_string40:
	.asciz	"&figures::Point"
.Linfo_string41:
	.asciz	"Point"
.Linfo_string42:
	.asciz	"x"
.Linfo_string43:
	.asciz	"y"
.Linfo_string44:
	.asciz	"T"
.Linfo_string45:
	.asciz	"Some"
.Linfo_string46:
	.asciz	"__0"
.Linfo_string47:
	.asciz	"_ZN7figures7Counter4look17h1facf7f1c6cea2c1E"
.Linfo_string48:
	.asciz	"look"
.Linfo_string49:
	.asciz	"&mut figures::Counter"
.Linfo_string50:
	.asciz	"&figures::Shape"
.Linfo_string51:
	.asciz	"Shape"
.Linfo_string52:
	.asciz	"u32"
.Linfo_string53:
	.asciz	"Circle"
.Linfo_string54:
	.asciz	"f64"
.Linfo_string55:
	.asciz	"Rect"
.Linfo_string56:
	.asciz	"w"
.Linfo_string57:
	.asciz	"h"
.Linfo_string58:
	.asciz	"Empty"
.Linfo_string59:
	.asciz	"Option<i32>"
.Linfo_string60:
	.asciz	"main"
.Linfo_string61:
	.asciz	"(&u64, &&str, &core::option::Option<&figures::Point>)"
.Linfo_string62:
	.asciz	"&u64"
.Linfo_string63:
	.asciz	"__1"
.Linfo_string64:
	.asciz	"&&str"
.Linfo_string65:
	.asciz	"__2"
.Linfo_string66:
	.asciz	"&core::option::Option<&figures::Point>"
.Linfo_string67:
	.asciz	"(&figures::Shape, &figures::Shape, &core::option::Option<&figures::Point>, &core::option::Option<&figures::Point>, &core::option::Option<i32>, &core::result::Result<u32, u8>, &core::option::Option<core::option::Option<bool>>, &figures::deep::Leaf)"
.Linfo_string68:
	.asciz	"__3"
.Linfo_string69:
	.asciz	"__4"
.Linfo_string70:
	.asciz	"&core::option::Option<i32>"
.Linfo_string71:
	.asciz	"__5"
.Linfo_string72:
	.asciz	"&core::result::Result<u32, u8>"
.Linfo_string73:
	.asciz	"result"
.Linfo_string74:
	.asciz	"Result<u32, u8>"
.Linfo_string75:
	.asciz	"Ok"
.Linfo_string76:
	.asciz	"E"
.Linfo_string77:
	.asciz	"Err"
.Linfo_string78:
	.asciz	"__6"
.Linfo_string79:
	.asciz	"&core::option::Option<core::option::Option<bool>>"
.Linfo_string80:
	.asciz	"Option<core::option::Option<bool>>"
.Linfo_string81:
	.asciz	"Option<bool>"
.Linfo_string82:
	.asciz	"bool"
.Linfo_string83:
	.asciz	"__7"
.Linfo_string84:
	.asciz	"&figures::deep::Leaf"
.Linfo_string85:
	.asciz	"Leaf"
.Linfo_string86:
	.asciz	"id"
.Linfo_string87:
	.asciz	"(&*const i32, &u8, &figures::Unit, &str, &figures::Shape, i32, &core::option::Option<i32>, &i32)"
.Linfo_string88:
	.asciz	"&*const i32"
.Linfo_string89:
	.asciz	"*const i32"
.Linfo_string90:
	.asciz	"&u8"
.Linfo_string91:
	.asciz	"&figures::Unit"
.Linfo_string92:
	.asciz	"Unit"
.Linfo_string93:
	.asciz	"&i32"
.Linfo_string94:
	.asciz	"(&str, u8, char, u64)"
.Linfo_string95:
	.asciz	"char"
.Linfo_string96:
	.asciz	"(&figures::Point, &figures::Pair, &(i32, f64, bool), &(), &[u16; 3], &&[u16], &figures::Color, &figures::Color)"
.Linfo_string97:
	.asciz	"&figures::Pair"
.Linfo_string98:
	.asciz	"Pair"
.Linfo_string99:
	.asciz	"&(i32, f64, bool)"
.Linfo_string100:
	.asciz	"(i32, f64, bool)"
.Linfo_string101:
	.asciz	"&()"
.Linfo_string102:
	.asciz	"()"
.Linfo_string103:
	.asciz	"&[u16; 3]"
.Linfo_string104:
	.asciz	"u16"
.Linfo_string105:
	.asciz	"__ARRAY_SIZE_TYPE__"
.Linfo_string106:
	.asciz	"&&[u16]"
.Linfo_string107:
	.asciz	"&[u16]"
.Linfo_string108:
	.asciz	"&figures::Color"
.Linfo_string109:
	.asciz	"&core::panic::panic_info::PanicInfo"
.Linfo_string110:
	.asciz	"panic_info"
.Linfo_string111:
	.asciz	"PanicInfo"
.Linfo_string112:
	.asciz	"message"
.Linfo_string113:
	.asciz	"&core::fmt::Arguments"
.Linfo_string114:
	.asciz	"fmt"
.Linfo_string115:
	.asciz	"Arguments"
.Linfo_string116:
	.asciz	"template"
.Linfo_string117:
	.asciz	"ptr"
.Linfo_string118:
	.asciz	"non_null"
.Linfo_string119:
	.asciz	"NonNull<u8>"
.Linfo_string120:
	.asciz	"pointer"
.Linfo_string121:
	.asciz	"*const u8"
.Linfo_string122:
	.asciz	"args"
.Linfo_string123:
	.asciz	"NonNull<core::fmt::rt::Argument>"
.Linfo_string124:
	.asciz	"rt"
.Linfo_string125:
	.asciz	"Argument"
.Linfo_string126:
	.asciz	"ty"
.Linfo_string127:
	.asciz	"ArgumentType"
.Linfo_string128:
	.asciz	"Placeholder"
.Linfo_string129:
	.asciz	"value"
.Linfo_string130:
	.asciz	"NonNull<()>"
.Linfo_string131:
	.asciz	"*const ()"
.Linfo_string132:
	.asciz	"formatter"
.Linfo_string133:
	.asciz	"unsafe fn(core::ptr::non_null::NonNull<()>, &mut core::fmt::Formatter) -> core::result::Result<(), core::fmt::Error>"
.Linfo_string134:
	.asciz	"Result<(), core::fmt::Error>"
.Linfo_string135:
	.asciz	"Error"
.Linfo_string136:
	.asciz	"&mut core::fmt::Formatter"
.Linfo_string137:
	.asciz	"Formatter"
.Linfo_string138:
	.asciz	"options"
.Linfo_string139:
	.asciz	"FormattingOptions"
.Linfo_string140:
	.asciz	"flags"
.Linfo_string141:
	.asciz	"width"
.Linfo_string142:
	.asciz	"precision"
.Linfo_string143:
	.asciz	"buf"
.Linfo_string144:
	.asciz	"&mut dyn core::fmt::Write"
.Linfo_string145:
	.asciz	"dyn core::fmt::Write"
.Linfo_string146:
	.asciz	"vtable"
.Linfo_string147:
	.asciz	"&[usize; 6]"
.Linfo_string148:
	.asciz	"_lifetime"
.Linfo_string149:
	.asciz	"marker"
.Linfo_string150:
	.asciz	"PhantomData<&()>"
.Linfo_string151:
	.asciz	"Count"
.Linfo_string152:
	.asciz	"*const core::fmt::rt::Argument"
.Linfo_string153:
	.asciz	"location"
.Linfo_string154:
	.asciz	"&core::panic::location::Location"
.Linfo_string155:
	.asciz	"Location"
.Linfo_string156:
	.asciz	"filename"
.Linfo_string157:
	.asciz	"NonNull<str>"
.Linfo_string158:
	.asciz	"*const str"
.Linfo_string159:
	.asciz	"line"
.Linfo_string160:
	.asciz	"col"
.Linfo_string161:
	.asciz	"_filename"
.Linfo_string162:
	.asciz	"PhantomData<&str>"
.Linfo_string163:
	.asciz	"can_unwind"
.Linfo_string164:
	.asciz	"force_no_backtrace"
.Linfo_string165:
	.asciz	"dummy"
.Linfo_string166:
	.asciz	"self"
.Linfo_string167:
	.asciz	"n"
.Linfo_string168:
	.asciz	"text"
.Linfo_string169:
	.asciz	"shape"
.Linfo_string170:
	.asciz	"by_value"
.Linfo_string171:
	.asciz	"maybe"
.Linfo_string172:
	.asciz	"local"
.Linfo_string173:
	.asciz	"pair"
.Linfo_string174:
	.asciz	"tuple"
.Linfo_string175:
	.asciz	"array"
.Linfo_string176:
	.asciz	"slice"
.Linfo_string177:
	.asciz	"color"
.Linfo_string178:
	.asciz	"red"
.Linfo_string179:
	.asciz	"rect"
.Linfo_string180:
	.asciz	"empty"
.Linfo_string181:
	.asciz	"some_ref"
.Linfo_string182:
	.asciz	"no_ref"
.Linfo_string183:
	.asciz	"none"
.Linfo_string184:
	.asciz	"fine"
.Linfo_string185:
	.asciz	"nested"
.Linfo_string186:
	.asciz	"leaf"
.Linfo_string187:
	.asciz	"raw"
.Linfo_string188:
	.asciz	"byte"
.Linfo_string189:
	.asciz	"nothing"
.Linfo_string190:
	.asciz	"gone"
.Linfo_string191:
	.asciz	"point"
.Linfo_string192:
	.asciz	"circle"
.Linfo_string193:
	.asciz	"round"
.Linfo_string194:
	.asciz	"sum"
.Linfo_string195:
	.asciz	"counter"
	.section	.debug_str_offsets,"",@progbits
	.long	.Linfo_string0
	.long	.Linfo_string1
	.long	.Linfo_string2
	.long	.Linfo_string3
	.long	.Linfo_string4
	.long	.Linfo_string5
	.long	.Linfo_string6
	.long	.Linfo_string7
	.long	.Linfo_string8
	.long	.Linfo_string10
	.long	.Linfo_string11
	.long	.Linfo_string12
	.long	.Linfo_string13
	.long	.Linfo_string9
	.long	.Linfo_string14
	.long	.Linfo_string16
	.long	.Linfo_string17
	.long	.Linfo_string15
	.long	.Linfo_string20
	.long	.Linfo_string21
	.long	.Linfo_string33
	.long	.Linfo_string34
	.long	.Linfo_string35
	.long	.Linfo_string36
	.long	.Linfo_string37
	.long	.Linfo_string39
	.long	.Linfo_string42
	.long	.Linfo_string43
	.long	.Linfo_string41
	.long	.Linfo_string40
	.long	.Linfo_string44
	.long	.Linfo_string45
	.long	.Linfo_string46
	.long	.Linfo_string38
	.long	.Linfo_string32
	.long	.Linfo_string47
	.long	.Linfo_string48
	.long	.Linfo_string49
	.long	.Linfo_string52
	.long	.Linfo_string53
	.long	.Linfo_string54
	.long	.Linfo_string55
	.long	.Linfo_string56
	.long	.Linfo_string57
	.long	.Linfo_string58
	.long	.Linfo_string51
	.long	.Linfo_string50
	.long	.Linfo_string59
	.long	.Linfo_string19
	.long	.Linfo_string18
	.long	.Linfo_string62
	.long	.Linfo_string63
	.long	.Linfo_string64
	.long	.Linfo_string65
	.long	.Linfo_string66
	.long	.Linfo_string61
	.long	.Linfo_string23
	.long	.Linfo_string22
	.long	.Linfo_string68
	.long	.Linfo_string69
	.long	.Linfo_string70
	.long	.Linfo_string71
	.long	.Linfo_string73
	.long	.Linfo_string75
	.long	.Linfo_string76
	.long	.Linfo_string77
	.long	.Linfo_string74
	.long	.Linfo_string72
	.long	.Linfo_string78
	.long	.Linfo_string82
	.long	.Linfo_string81
	.long	.Linfo_string80
	.long	.Linfo_string79
	.long	.Linfo_string83
	.long	.Linfo_string86
	.long	.Linfo_string85
	.long	.Linfo_string84
	.long	.Linfo_string67
	.long	.Linfo_string25
	.long	.Linfo_string24
	.long	.Linfo_string89
	.long	.Linfo_string88
	.long	.Linfo_string90
	.long	.Linfo_string92
	.long	.Linfo_string91
	.long	.Linfo_string93
	.long	.Linfo_string87
	.long	.Linfo_string27
	.long	.Linfo_string26
	.long	.Linfo_string95
	.long	.Linfo_string94
	.long	.Linfo_string29
	.long	.Linfo_string28
	.long	.Linfo_string98
	.long	.Linfo_string97
	.long	.Linfo_string100
	.long	.Linfo_string99
	.long	.Linfo_string102
	.long	.Linfo_string101
	.long	.Linfo_string104
	.long	.Linfo_string105
	.long	.Linfo_string103
	.long	.Linfo_string107
	.long	.Linfo_string106
	.long	.Linfo_string108
	.long	.Linfo_string96
	.long	.Linfo_string31
	.long	.Linfo_string30
	.long	.Linfo_string60
	.long	.Linfo_string110
	.long	.Linfo_string112
	.long	.Linfo_string114
	.long	.Linfo_string116
	.long	.Linfo_string117
	.long	.Linfo_string118
	.long	.Linfo_string120
	.long	.Linfo_string121
	.long	.Linfo_string119
	.long	.Linfo_string122
	.long	.Linfo_string124
	.long	.Linfo_string126
	.long	.Linfo_string128
	.long	.Linfo_string129
	.long	.Linfo_string131
	.long	.Linfo_string130
	.long	.Linfo_string132
	.long	.Linfo_string135
	.long	.Linfo_string134
	.long	.Linfo_string138
	.long	.Linfo_string140
	.long	.Linfo_string141
	.long	.Linfo_string142
	.long	.Linfo_string139
	.long	.Linfo_string143
	.long	.Linfo_string145
	.long	.Linfo_string146
	.long	.Linfo_string147
	.long	.Linfo_string144
	.long	.Linfo_string137
	.long	.Linfo_string136
	.long	.Linfo_string133
	.long	.Linfo_string148
	.long	.Linfo_string149
	.long	.Linfo_string150
	.long	.Linfo_string151
	.long	.Linfo_string127
	.long	.Linfo_string125
	.long	.Linfo_string152
	.long	.Linfo_string123
	.long	.Linfo_string115
	.long	.Linfo_string113
	.long	.Linfo_string153
	.long	.Linfo_string156
	.long	.Linfo_string158
	.long	.Linfo_string157
	.long	.Linfo_string159
	.long	.Linfo_string160
	.long	.Linfo_string161
	.long	.Linfo_string162
	.long	.Linfo_string155
	.long	.Linfo_string154
	.long	.Linfo_string163
	.long	.Linfo_string164
	.long	.Linfo_string111
	.long	.Linfo_string109
	.long	.Linfo_string165
	.long	.Linfo_string166
	.long	.Linfo_string167
	.long	.Linfo_string168
	.long	.Linfo_string169
	.long	.Linfo_string170
	.long	.Linfo_string171
	.long	.Linfo_string172
	.long	.Linfo_string173
	.long	.Linfo_string174
	.long	.Linfo_string175
	.long	.Linfo_string176
	.long	.Linfo_string177
	.long	.Linfo_string178
	.long	.Linfo_string179
	.long	.Linfo_string180
	.long	.Linfo_string181
	.long	.Linfo_string182
	.long	.Linfo_string183
	.long	.Linfo_string184
	.long	.Linfo_string185
	.long	.Linfo_string186
	.long	.Linfo_string187
	.long	.Linfo_string188
	.long	.Linfo_string189
	.long	.Linfo_string190
	.long	.Linfo_string191
	.long	.Linfo_string192
	.long	.Linfo_string193
	.long	.Linfo_string194
	.long	.Linfo_string195
	.section	.debug_addr,"",@progbits
	.long	.Ldebug_addr_end0-.Ldebug_addr_start0
.Ldebug_addr_start0:
	.short	5
	.byte	8
	.byte	0
.Laddr_table_base0:
	.quad	_ZN7figures4deep5LIMIT17h77f64011c766217bE
	.quad	_ZN7figures5TITLE17h6a8a33bb55ba72b1E
	.quad	.Lfunc_begin0
	.quad	.Lfunc_begin1
	.quad	.Lfunc_begin2
	.quad	.Lfunc_begin3
	.quad	.Lfunc_begin4
	.quad	.Lfunc_begin5
	.quad	.Lfunc_begin6
	.quad	.Ltmp16
	.quad	.Ltmp17
	.quad	.Ltmp18
	.quad	.Ltmp19
	.quad	.Ltmp20
	.quad	.Ltmp21
	.quad	.Ltmp22
	.quad	.Ltmp23
	.quad	.Ltmp24
	.quad	.Ltmp25
	.quad	.Ltmp26
	.quad	.Ltmp27
	.quad	.Ltmp28
	.quad	.Ltmp29
	.quad	.Ltmp30
	.quad	.Ltmp31
	.quad	.Ltmp32
	.quad	.Lfunc_begin7
	.quad	.Ltmp42
	.quad	.Ltmp43
.Ldebug_addr_end0:
	.section	.debug_names,"",@progbits
	.long	.Lnames_end0-.Lnames_start0
.Lnames_start0:
	.short	5
	.short	0
	.long	1
	.long	0
	.long	0
	.long	59
	.long	120
	.long	.Lnames_abbrev_end0-.Lnames_abbrev_start0
	.long	8
	.ascii	"LLVM0700"
	.long	.Lcu_begin0
	.long	1
	.long	2
	.long	3
	.long	0
	.long	4
	.long	5
	.long	9
	.long	0
	.long	10
	.long	14
	.long	18
	.long	19
	.long	23
	.long	25
	.long	29
	.long	31
	.long	32
	.long	35
	.long	40
	.long	41
	.long	44
	.long	0
	.long	46
	.long	47
	.long	0
	.long	49
	.long	0
	.long	0
	.long	51
	.long	56
	.long	57
	.long	58
	.long	59
	.long	64
	.long	68
	.long	69
	.long	71
	.long	74
	.long	75
	.long	78
	.long	79
	.long	83
	.long	87
	.long	90
	.long	92
	.long	97
	.long	0
	.long	0
	.long	98
	.long	100
	.long	103
	.long	0
	.long	107
	.long	109
	.long	111
	.long	112
	.long	116
	.long	0
	.long	119
	.long	193422296
	.long	1551777291
	.long	-518411278
	.long	270584624
	.long	193506081
	.long	2090120081
	.long	2090479450
	.long	-764249112
	.long	2143175655
	.long	193490862
	.long	193506143
	.long	-801611803
	.long	-502822823
	.long	255678574
	.long	1920876638
	.long	-1965917566
	.long	-1072023198
	.long	1871085477
	.long	958577613
	.long	1980029214
	.long	1980029214
	.long	2090180739
	.long	1969156931
	.long	-2007808507
	.long	5863787
	.long	420157657
	.long	-738903707
	.long	-677520815
	.long	-1074463138
	.long	-713727993
	.long	2090147939
	.long	94455594
	.long	1165682132
	.long	-480876526
	.long	193502907
	.long	266127364
	.long	271082479
	.long	318227550
	.long	-1113146190
	.long	-1531920873
	.long	258154991
	.long	1098779380
	.long	1110590708
	.long	826930627
	.long	2090801605
	.long	-1648443804
	.long	5863679
	.long	-1160508552
	.long	180712010
	.long	422565636
	.long	217009403
	.long	1545330683
	.long	2090499946
	.long	-616253607
	.long	-84261286
	.long	866807025
	.long	-733089948
	.long	2090329144
	.long	1083930686
	.long	1731379871
	.long	1898423975
	.long	-1410632966
	.long	-1315389148
	.long	5861270
	.long	255668804
	.long	2090683795
	.long	-713725437
	.long	2090730937
	.long	1004366180
	.long	2090468093
	.long	219408941
	.long	2008098607
	.long	-39525354
	.long	2090551285
	.long	193493075
	.long	222097927
	.long	-2011106050
	.long	-1113230538
	.long	193419740
	.long	-2078116124
	.long	-1318653433
	.long	-116583421
	.long	386186252
	.long	2087955289
	.long	-2078103025
	.long	-900914257
	.long	1854196051
	.long	2087968388
	.long	-1741725498
	.long	410678452
	.long	2015788497
	.long	1510787261
	.long	2090156110
	.long	-2078091871
	.long	-593978259
	.long	-485980175
	.long	275622439
	.long	257973300
	.long	1307601354
	.long	193491788
	.long	1110396864
	.long	1745484074
	.long	193506244
	.long	274380022
	.long	2090607761
	.long	-973335686
	.long	5863826
	.long	-116710495
	.long	621789194
	.long	2087968458
	.long	-2026519725
	.long	277156213
	.long	574740059
	.long	-975086388
	.long	-159777129
	.long	770275795
	.long	2100189308
	.long	-292687608
	.long	193489909
	.long	1088032392
	.long	.Linfo_string90
	.long	.Linfo_string152
	.long	.Linfo_string96
	.long	.Linfo_string18
	.long	.Linfo_string104
	.long	.Linfo_string82
	.long	.Linfo_string48
	.long	.Linfo_string128
	.long	.Linfo_string150
	.long	.Linfo_string77
	.long	.Linfo_string52
	.long	.Linfo_string106
	.long	.Linfo_string113
	.long	.Linfo_string151
	.long	.Linfo_string157
	.long	.Linfo_string28
	.long	.Linfo_string26
	.long	.Linfo_string7
	.long	.Linfo_string136
	.long	.Linfo_string153
	.long	.Linfo_string155
	.long	.Linfo_string4
	.long	.Linfo_string87
	.long	.Linfo_string50
	.long	.Linfo_string124
	.long	.Linfo_string137
	.long	.Linfo_string32
	.long	.Linfo_string38
	.long	.Linfo_string84
	.long	.Linfo_string131
	.long	.Linfo_string95
	.long	.Linfo_string88
	.long	.Linfo_string29
	.long	.Linfo_string19
	.long	.Linfo_string117
	.long	.Linfo_string5
	.long	.Linfo_string41
	.long	.Linfo_string37
	.long	.Linfo_string119
	.long	.Linfo_string31
	.long	.Linfo_string135
	.long	.Linfo_string61
	.long	.Linfo_string91
	.long	.Linfo_string94
	.long	.Linfo_string92
	.long	.Linfo_string81
	.long	.Linfo_string75
	.long	.Linfo_string100
	.long	.Linfo_string64
	.long	.Linfo_string73
	.long	.Linfo_string105
	.long	.Linfo_string115
	.long	.Linfo_string60
	.long	.Linfo_string24
	.long	.Linfo_string123
	.long	.Linfo_string79
	.long	.Linfo_string133
	.long	.Linfo_string21
	.long	.Linfo_string99
	.long	.Linfo_string107
	.long	.Linfo_string72
	.long	.Linfo_string3
	.long	.Linfo_string47
	.long	.Linfo_string102
	.long	.Linfo_string15
	.long	.Linfo_string55
	.long	.Linfo_string121
	.long	.Linfo_string45
	.long	.Linfo_string147
	.long	.Linfo_string85
	.long	.Linfo_string154
	.long	.Linfo_string162
	.long	.Linfo_string70
	.long	.Linfo_string39
	.long	.Linfo_string6
	.long	.Linfo_string149
	.long	.Linfo_string40
	.long	.Linfo_string130
	.long	.Linfo_string101
	.long	.Linfo_string89
	.long	.Linfo_string14
	.long	.Linfo_string23
	.long	.Linfo_string139
	.long	.Linfo_string93
	.long	.Linfo_string158
	.long	.Linfo_string144
	.long	.Linfo_string145
	.long	.Linfo_string9
	.long	.Linfo_string59
	.long	.Linfo_string25
	.long	.Linfo_string30
	.long	.Linfo_string134
	.long	.Linfo_string20
	.long	.Linfo_string66
	.long	.Linfo_string103
	.long	.Linfo_string74
	.long	.Linfo_string8
	.long	.Linfo_string58
	.long	.Linfo_string49
	.long	.Linfo_string114
	.long	.Linfo_string97
	.long	.Linfo_string118
	.long	.Linfo_string34
	.long	.Linfo_string51
	.long	.Linfo_string98
	.long	.Linfo_string67
	.long	.Linfo_string11
	.long	.Linfo_string80
	.long	.Linfo_string127
	.long	.Linfo_string62
	.long	.Linfo_string108
	.long	.Linfo_string13
	.long	.Linfo_string110
	.long	.Linfo_string27
	.long	.Linfo_string53
	.long	.Linfo_string22
	.long	.Linfo_string111
	.long	.Linfo_string109
	.long	.Linfo_string54
	.long	.Linfo_string125
	.long	.Lnames65-.Lnames_entries0
	.long	.Lnames113-.Lnames_entries0
	.long	.Lnames71-.Lnames_entries0
	.long	.Lnames11-.Lnames_entries0
	.long	.Lnames79-.Lnames_entries0
	.long	.Lnames59-.Lnames_entries0
	.long	.Lnames42-.Lnames_entries0
	.long	.Lnames98-.Lnames_entries0
	.long	.Lnames111-.Lnames_entries0
	.long	.Lnames55-.Lnames_entries0
	.long	.Lnames36-.Lnames_entries0
	.long	.Lnames81-.Lnames_entries0
	.long	.Lnames87-.Lnames_entries0
	.long	.Lnames112-.Lnames_entries0
	.long	.Lnames117-.Lnames_entries0
	.long	.Lnames21-.Lnames_entries0
	.long	.Lnames19-.Lnames_entries0
	.long	.Lnames4-.Lnames_entries0
	.long	.Lnames104-.Lnames_entries0
	.long	.Lnames115-.Lnames_entries0
	.long	.Lnames116-.Lnames_entries0
	.long	.Lnames1-.Lnames_entries0
	.long	.Lnames62-.Lnames_entries0
	.long	.Lnames34-.Lnames_entries0
	.long	.Lnames95-.Lnames_entries0
	.long	.Lnames105-.Lnames_entries0
	.long	.Lnames25-.Lnames_entries0
	.long	.Lnames28-.Lnames_entries0
	.long	.Lnames60-.Lnames_entries0
	.long	.Lnames100-.Lnames_entries0
	.long	.Lnames70-.Lnames_entries0
	.long	.Lnames63-.Lnames_entries0
	.long	.Lnames22-.Lnames_entries0
	.long	.Lnames12-.Lnames_entries0
	.long	.Lnames90-.Lnames_entries0
	.long	.Lnames3-.Lnames_entries0
	.long	.Lnames31-.Lnames_entries0
	.long	.Lnames27-.Lnames_entries0
	.long	.Lnames92-.Lnames_entries0
	.long	.Lnames24-.Lnames_entries0
	.long	.Lnames103-.Lnames_entries0
	.long	.Lnames45-.Lnames_entries0
	.long	.Lnames66-.Lnames_entries0
	.long	.Lnames69-.Lnames_entries0
	.long	.Lnames67-.Lnames_entries0
	.long	.Lnames58-.Lnames_entries0
	.long	.Lnames54-.Lnames_entries0
	.long	.Lnames75-.Lnames_entries0
	.long	.Lnames47-.Lnames_entries0
	.long	.Lnames52-.Lnames_entries0
	.long	.Lnames80-.Lnames_entries0
	.long	.Lnames89-.Lnames_entries0
	.long	.Lnames44-.Lnames_entries0
	.long	.Lnames17-.Lnames_entries0
	.long	.Lnames94-.Lnames_entries0
	.long	.Lnames56-.Lnames_entries0
	.long	.Lnames101-.Lnames_entries0
	.long	.Lnames14-.Lnames_entries0
	.long	.Lnames74-.Lnames_entries0
	.long	.Lnames82-.Lnames_entries0
	.long	.Lnames51-.Lnames_entries0
	.long	.Lnames0-.Lnames_entries0
	.long	.Lnames43-.Lnames_entries0
	.long	.Lnames77-.Lnames_entries0
	.long	.Lnames10-.Lnames_entries0
	.long	.Lnames39-.Lnames_entries0
	.long	.Lnames93-.Lnames_entries0
	.long	.Lnames32-.Lnames_entries0
	.long	.Lnames109-.Lnames_entries0
	.long	.Lnames61-.Lnames_entries0
	.long	.Lnames114-.Lnames_entries0
	.long	.Lnames119-.Lnames_entries0
	.long	.Lnames50-.Lnames_entries0
	.long	.Lnames29-.Lnames_entries0
	.long	.Lnames2-.Lnames_entries0
	.long	.Lnames110-.Lnames_entries0
	.long	.Lnames30-.Lnames_entries0
	.long	.Lnames99-.Lnames_entries0
	.long	.Lnames76-.Lnames_entries0
	.long	.Lnames64-.Lnames_entries0
	.long	.Lnames9-.Lnames_entries0
	.long	.Lnames16-.Lnames_entries0
	.long	.Lnames106-.Lnames_entries0
	.long	.Lnames68-.Lnames_entries0
	.long	.Lnames118-.Lnames_entries0
	.long	.Lnames107-.Lnames_entries0
	.long	.Lnames108-.Lnames_entries0
	.long	.Lnames5-.Lnames_entries0
	.long	.Lnames41-.Lnames_entries0
	.long	.Lnames18-.Lnames_entries0
	.long	.Lnames23-.Lnames_entries0
	.long	.Lnames102-.Lnames_entries0
	.long	.Lnames13-.Lnames_entries0
	.long	.Lnames48-.Lnames_entries0
	.long	.Lnames78-.Lnames_entries0
	.long	.Lnames53-.Lnames_entries0
	.long	.Lnames8-.Lnames_entries0
	.long	.Lnames40-.Lnames_entries0
	.long	.Lnames33-.Lnames_entries0
	.long	.Lnames88-.Lnames_entries0
	.long	.Lnames72-.Lnames_entries0
	.long	.Lnames91-.Lnames_entries0
	.long	.Lnames26-.Lnames_entries0
	.long	.Lnames35-.Lnames_entries0
	.long	.Lnames73-.Lnames_entries0
	.long	.Lnames49-.Lnames_entries0
	.long	.Lnames6-.Lnames_entries0
	.long	.Lnames57-.Lnames_entries0
	.long	.Lnames97-.Lnames_entries0
	.long	.Lnames46-.Lnames_entries0
	.long	.Lnames83-.Lnames_entries0
	.long	.Lnames7-.Lnames_entries0
	.long	.Lnames85-.Lnames_entries0
	.long	.Lnames20-.Lnames_entries0
	.long	.Lnames37-.Lnames_entries0
	.long	.Lnames15-.Lnames_entries0
	.long	.Lnames86-.Lnames_entries0
	.long	.Lnames84-.Lnames_entries0
	.long	.Lnames38-.Lnames_entries0
	.long	.Lnames96-.Lnames_entries0
.Lnames_abbrev_start0:
	.byte	1
	.byte	15
	.byte	3
	.byte	19
	.byte	4
	.byte	25
	.byte	0
	.byte	0
	.byte	2
	.byte	19
	.byte	3
	.byte	19
	.byte	4
	.byte	25
	.byte	0
	.byte	0
	.byte	3
	.byte	46
	.byte	3
	.byte	19
	.byte	4
	.byte	19
	.byte	0
	.byte	0
	.byte	4
	.byte	57
	.byte	3
	.byte	19
	.byte	4
	.byte	19
	.byte	0
	.byte	0
	.byte	5
	.byte	36
	.byte	3
	.byte	19
	.byte	4
	.byte	25
	.byte	0
	.byte	0
	.byte	6
	.byte	46
	.byte	3
	.byte	19
	.byte	4
	.byte	25
	.byte	0
	.byte	0
	.byte	7
	.byte	19
	.byte	3
	.byte	19
	.byte	4
	.byte	19
	.byte	0
	.byte	0
	.byte	8
	.byte	52
	.byte	3
	.byte	19
	.byte	4
	.byte	19
	.byte	0
	.byte	0
	.byte	9
	.byte	57
	.byte	3
	.byte	19
	.byte	4
	.byte	25
	.byte	0
	.byte	0
	.byte	10
	.byte	4
	.byte	3
	.byte	19
	.byte	4
	.byte	19
	.byte	0
	.byte	0
	.byte	0
.Lnames_abbrev_end0:
.Lnames_entries0:
.Lnames65:
.L40:
	.byte	1
	.long	2355
	.byte	0
.Lnames113:
.L28:
	.byte	1
	.long	2770
	.byte	0
.Lnames71:
.L74:
	.byte	2
	.long	2426
	.byte	0
.Lnames11:
.L24:
	.byte	3
	.long	108
	.long	.L96-.Lnames_entries0
.L77:
	.byte	4
	.long	1182
	.long	.L26-.Lnames_entries0
	.byte	0
.Lnames79:
.L64:
	.byte	5
	.long	2580
	.byte	0
.Lnames59:
.L60:
	.byte	5
	.long	2252
	.byte	0
.Lnames42:
.L76:
	.byte	6
	.long	1630
	.byte	0
.Lnames98:
.L61:
	.byte	7
	.long	1357
	.long	.L84-.Lnames_entries0
	.byte	0
.Lnames111:
.L46:
	.byte	7
	.long	1562
	.long	.L105-.Lnames_entries0
	.byte	0
.Lnames55:
.L92:
	.byte	7
	.long	1058
	.long	.L116-.Lnames_entries0
.L2:
	.byte	7
	.long	1153
	.long	.L88-.Lnames_entries0
	.byte	0
.Lnames36:
.L22:
	.byte	5
	.long	1622
	.byte	0
.Lnames81:
.L8:
	.byte	1
	.long	2588
	.byte	0
.Lnames87:
.L53:
	.byte	1
	.long	2648
	.byte	0
.Lnames112:
.L57:
	.byte	7
	.long	1390
	.long	.L84-.Lnames_entries0
	.byte	0
.Lnames117:
.L97:
	.byte	7
	.long	1537
	.long	.L111-.Lnames_entries0
	.byte	0
.Lnames21:
.L54:
	.byte	3
	.long	622
	.long	.L36-.Lnames_entries0
	.byte	0
.Lnames19:
.L32:
	.byte	3
	.long	588
	.long	.L36-.Lnames_entries0
	.byte	0
.Lnames4:
.L114:
	.byte	8
	.long	51
	.long	.L78-.Lnames_entries0
	.byte	0
.Lnames104:
.L98:
	.byte	1
	.long	2704
	.byte	0
.Lnames115:
.L55:
	.byte	4
	.long	1229
	.long	.L77-.Lnames_entries0
	.byte	0
.Lnames116:
.L90:
	.byte	7
	.long	1231
	.long	.L55-.Lnames_entries0
	.byte	0
.Lnames1:
.L78:
	.byte	4
	.long	49
	.long	.L96-.Lnames_entries0
	.byte	0
.Lnames62:
.L17:
	.byte	2
	.long	2266
	.byte	0
.Lnames34:
.L75:
	.byte	1
	.long	1612
	.byte	0
.Lnames95:
.L94:
	.byte	4
	.long	1301
	.long	.L42-.Lnames_entries0
	.byte	0
.Lnames105:
.L43:
	.byte	7
	.long	1412
	.long	.L42-.Lnames_entries0
	.byte	0
.Lnames25:
.L25:
	.byte	7
	.long	131
	.long	.L96-.Lnames_entries0
	.byte	0
.Lnames28:
.L0:
	.byte	7
	.long	695
	.long	.L67-.Lnames_entries0
	.byte	0
.Lnames60:
.L29:
	.byte	1
	.long	2256
	.byte	0
.Lnames100:
.L106:
	.byte	1
	.long	2668
	.byte	0
.Lnames70:
.L19:
	.byte	5
	.long	2422
	.byte	0
.Lnames63:
.L95:
	.byte	1
	.long	2335
	.byte	0
.Lnames22:
	.byte	3
	.long	622
	.long	.L36-.Lnames_entries0
	.byte	0
.Lnames12:
	.byte	3
	.long	108
	.long	.L96-.Lnames_entries0
	.byte	0
.Lnames90:
.L58:
	.byte	4
	.long	1470
	.long	.L26-.Lnames_entries0
	.byte	0
.Lnames3:
	.byte	8
	.long	51
	.long	.L78-.Lnames_entries0
	.byte	0
.Lnames31:
.L35:
	.byte	7
	.long	204
	.long	.L96-.Lnames_entries0
	.byte	0
.Lnames27:
.L67:
	.byte	4
	.long	693
	.long	.L26-.Lnames_entries0
	.byte	0
.Lnames92:
.L118:
	.byte	7
	.long	1474
	.long	.L111-.Lnames_entries0
	.byte	0
.Lnames24:
.L49:
	.byte	3
	.long	658
	.long	.L36-.Lnames_entries0
	.byte	0
.Lnames103:
.L101:
	.byte	7
	.long	1407
	.long	.L42-.Lnames_entries0
	.byte	0
.Lnames45:
.L41:
	.byte	2
	.long	2094
	.byte	0
.Lnames66:
.L34:
	.byte	1
	.long	2365
	.byte	0
.Lnames69:
.L62:
	.byte	2
	.long	2385
	.byte	0
.Lnames67:
.L59:
	.byte	7
	.long	442
	.long	.L96-.Lnames_entries0
	.byte	0
.Lnames58:
.L66:
	.byte	7
	.long	915
	.long	.L67-.Lnames_entries0
	.byte	0
.Lnames54:
.L52:
	.byte	7
	.long	1031
	.long	.L116-.Lnames_entries0
.L68:
	.byte	7
	.long	1126
	.long	.L88-.Lnames_entries0
	.byte	0
.Lnames75:
.L79:
	.byte	2
	.long	2515
	.byte	0
.Lnames47:
.L38:
	.byte	1
	.long	2133
	.byte	0
.Lnames52:
.L14:
	.byte	4
	.long	989
	.long	.L26-.Lnames_entries0
	.byte	0
.Lnames80:
.L71:
	.byte	5
	.long	2584
	.byte	0
.Lnames89:
.L48:
	.byte	7
	.long	1277
	.long	.L42-.Lnames_entries0
	.byte	0
.Lnames44:
.L102:
	.byte	3
	.long	324
	.long	.L96-.Lnames_entries0
	.byte	0
.Lnames17:
.L51:
	.byte	3
	.long	554
	.long	.L36-.Lnames_entries0
	.byte	0
.Lnames94:
.L44:
	.byte	7
	.long	1495
	.long	.L111-.Lnames_entries0
	.byte	0
.Lnames56:
.L33:
	.byte	1
	.long	2242
	.byte	0
.Lnames101:
.L91:
	.byte	1
	.long	2678
	.byte	0
.Lnames14:
.L36:
	.byte	4
	.long	516
	.long	.L26-.Lnames_entries0
	.byte	0
.Lnames74:
.L37:
	.byte	1
	.long	2505
	.byte	0
.Lnames82:
.L20:
	.byte	2
	.long	2598
	.byte	0
.Lnames51:
.L5:
	.byte	1
	.long	2232
	.byte	0
.Lnames0:
.L96:
	.byte	9
	.long	47
	.byte	0
.Lnames43:
	.byte	6
	.long	1630
	.byte	0
.Lnames77:
.L11:
	.byte	5
	.long	2554
	.byte	0
.Lnames10:
.L85:
	.byte	10
	.long	93
	.long	.L96-.Lnames_entries0
	.byte	0
.Lnames39:
.L82:
	.byte	7
	.long	294
	.long	.L100-.Lnames_entries0
	.byte	0
.Lnames93:
.L10:
	.byte	1
	.long	2658
	.byte	0
.Lnames32:
.L103:
	.byte	7
	.long	746
	.long	.L0-.Lnames_entries0
.L89:
	.byte	7
	.long	820
	.long	.L70-.Lnames_entries0
.L108:
	.byte	7
	.long	893
	.long	.L21-.Lnames_entries0
.L50:
	.byte	7
	.long	966
	.long	.L66-.Lnames_entries0
	.byte	0
.Lnames109:
.L73:
	.byte	1
	.long	2748
	.byte	0
.Lnames61:
.L39:
	.byte	7
	.long	64
	.long	.L78-.Lnames_entries0
	.byte	0
.Lnames114:
.L18:
	.byte	1
	.long	2780
	.byte	0
.Lnames119:
.L87:
	.byte	7
	.long	1574
	.long	.L105-.Lnames_entries0
	.byte	0
.Lnames50:
.L45:
	.byte	1
	.long	2222
	.byte	0
.Lnames29:
.L6:
	.byte	7
	.long	734
	.long	.L0-.Lnames_entries0
.L113:
	.byte	7
	.long	808
	.long	.L70-.Lnames_entries0
.L80:
	.byte	7
	.long	881
	.long	.L21-.Lnames_entries0
.L9:
	.byte	7
	.long	954
	.long	.L66-.Lnames_entries0
	.byte	0
.Lnames2:
.L31:
	.byte	5
	.long	472
	.byte	0
.Lnames110:
.L105:
	.byte	4
	.long	1560
	.long	.L26-.Lnames_entries0
	.byte	0
.Lnames30:
.L109:
	.byte	1
	.long	1592
	.byte	0
.Lnames99:
.L23:
	.byte	7
	.long	1516
	.long	.L111-.Lnames_entries0
	.byte	0
.Lnames76:
.L13:
	.byte	1
	.long	2544
	.byte	0
.Lnames64:
.L12:
	.byte	1
	.long	2345
	.byte	0
.Lnames9:
.L47:
	.byte	8
	.long	80
	.long	.L96-.Lnames_entries0
	.byte	0
.Lnames16:
.L107:
	.byte	3
	.long	518
	.long	.L36-.Lnames_entries0
	.byte	0
.Lnames106:
.L86:
	.byte	7
	.long	1436
	.long	.L42-.Lnames_entries0
	.byte	0
.Lnames68:
.L30:
	.byte	1
	.long	2375
	.byte	0
.Lnames118:
.L69:
	.byte	2
	.long	2790
	.byte	0
.Lnames107:
.L56:
	.byte	2
	.long	2714
	.byte	0
.Lnames108:
.L117:
	.byte	2
	.long	2744
	.byte	0
.Lnames5:
.L115:
	.byte	2
	.long	476
	.byte	0
.Lnames41:
.L70:
	.byte	7
	.long	768
	.long	.L67-.Lnames_entries0
	.byte	0
.Lnames18:
	.byte	3
	.long	554
	.long	.L36-.Lnames_entries0
	.byte	0
.Lnames23:
	.byte	3
	.long	658
	.long	.L36-.Lnames_entries0
	.byte	0
.Lnames102:
.L88:
	.byte	7
	.long	1086
	.long	.L14-.Lnames_entries0
	.byte	0
.Lnames13:
.L26:
	.byte	9
	.long	514
	.byte	0
.Lnames48:
.L16:
	.byte	1
	.long	2143
	.byte	0
.Lnames78:
.L7:
	.byte	1
	.long	2558
	.byte	0
.Lnames53:
.L116:
	.byte	7
	.long	991
	.long	.L14-.Lnames_entries0
	.byte	0
.Lnames8:
	.byte	8
	.long	80
	.long	.L96-.Lnames_entries0
	.byte	0
.Lnames40:
.L110:
	.byte	7
	.long	318
	.long	.L100-.Lnames_entries0
	.byte	0
.Lnames33:
.L93:
	.byte	1
	.long	1602
	.byte	0
.Lnames88:
.L42:
	.byte	4
	.long	1275
	.long	.L26-.Lnames_entries0
	.byte	0
.Lnames72:
.L119:
	.byte	1
	.long	2495
	.byte	0
.Lnames91:
.L111:
	.byte	4
	.long	1472
	.long	.L58-.Lnames_entries0
	.byte	0
.Lnames26:
.L81:
	.byte	5
	.long	1588
	.byte	0
.Lnames35:
.L100:
	.byte	7
	.long	228
	.long	.L96-.Lnames_entries0
	.byte	0
.Lnames73:
.L1:
	.byte	7
	.long	447
	.long	.L96-.Lnames_entries0
	.byte	0
.Lnames49:
.L112:
	.byte	2
	.long	2153
	.byte	0
.Lnames6:
.L3:
	.byte	5
	.long	506
	.byte	0
.Lnames57:
.L21:
	.byte	7
	.long	842
	.long	.L67-.Lnames_entries0
	.byte	0
.Lnames97:
.L84:
	.byte	7
	.long	1318
	.long	.L94-.Lnames_entries0
	.byte	0
.Lnames46:
.L27:
	.byte	1
	.long	2123
	.byte	0
.Lnames83:
.L104:
	.byte	1
	.long	2628
	.byte	0
.Lnames7:
.L99:
	.byte	5
	.long	510
	.byte	0
.Lnames85:
.L65:
	.byte	4
	.long	1184
	.long	.L77-.Lnames_entries0
	.byte	0
.Lnames20:
	.byte	3
	.long	588
	.long	.L36-.Lnames_entries0
	.byte	0
.Lnames37:
.L4:
	.byte	7
	.long	279
	.long	.L100-.Lnames_entries0
	.byte	0
.Lnames15:
	.byte	3
	.long	518
	.long	.L36-.Lnames_entries0
	.byte	0
.Lnames86:
.L83:
	.byte	7
	.long	1186
	.long	.L65-.Lnames_entries0
	.byte	0
.Lnames84:
.L72:
	.byte	1
	.long	2638
	.byte	0
.Lnames38:
.L63:
	.byte	5
	.long	1626
	.byte	0
.Lnames96:
.L15:
	.byte	7
	.long	1303
	.long	.L94-.Lnames_entries0
	.byte	0
	.p2align	2, 0x0
.Lnames_end0:
	.ident	"rustc version 1.95.0 (59807616e 2026-04-14)"
	.section	".note.GNU-stack","",@progbits
	.section	.debug_line,"",@progbits
.Lline_table_start0:
