/*
 * report_files.S - the style sheet and the script that only the report page has
 *
 * The paths are those that the compiler sees: it is started in the folder that
 * has src/.
 */
	.section .rodata

	.globl report_style
	.hidden report_style
report_style:
	.incbin "src/report/page/report.css"
	.byte 0

	.globl report_script
	.hidden report_script
report_script:
	.incbin "src/report/page/report.js"
	.byte 0

	.section .note.GNU-stack, "", @progbits
