/*
 * page_files.S - the files of the live page, as texts that end in a NUL
 *
 * The paths are those that the compiler sees: it is started in the folder that
 * has src/.
 */
	.section .rodata

	.globl page_html
page_html:
	.incbin "src/serve/http/page/page.html"
	.byte 0

	.globl live_style
live_style:
	.incbin "src/serve/http/page/live.css"
	.byte 0

	.globl live_script
live_script:
	.incbin "src/serve/http/page/figures.js"
	.incbin "src/serve/http/page/tables.js"
	.incbin "src/serve/http/page/flames.js"
	.incbin "src/serve/http/page/live.js"
	.byte 0

	.section .note.GNU-stack, "", @progbits
