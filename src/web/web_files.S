/*
 * web_files.S - the texts of perftool/web.h
 *
 * The paths are those that the compiler sees: it is started in the folder that
 * has src/.
 */
	.section .rodata

	.globl page_style
	.hidden page_style
page_style:
	.incbin "src/web/page.css"
	.byte 0

	.globl figure_style
	.hidden figure_style
figure_style:
	.incbin "src/web/figure.css"
	.byte 0

	.globl sorting_script
	.hidden sorting_script
sorting_script:
	.incbin "src/web/sorting.js"
	.byte 0

	.section .note.GNU-stack, "", @progbits
