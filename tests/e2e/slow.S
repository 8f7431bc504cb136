/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function in a unit of SIZE DIEs, a byte each: it takes long to read. */
	.text
	.globl slow_code
	.type slow_code, @function
slow_code:
	ret
	.size slow_code, . - slow_code
.Lend:
	.section .debug_abbrev,"",@progbits
	.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0 /* DW_TAG_compile_unit: low_pc addr, high_pc data8 */
	.byte 2, 0x39, 0, 0, 0 /* DW_TAG_namespace without anything */
	.byte 0
	.section .debug_info,"",@progbits
	.long .Linfo_end - .Linfo
.Linfo:
	.short 4
	.long 0
	.byte 8
	.byte 1
	.quad slow_code
	.quad .Lend - slow_code
	.fill SIZE, 1, 2
	.byte 0
.Linfo_end:
	.section .note.GNU-stack,"",@progbits
