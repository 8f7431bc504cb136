/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions by hand, as programs have them: without CFI, with frames and without, and with FP as data. */
	.text
#define FUNCTION(name) .globl name; .type name, @function; name
#define END(name) .size name, . - name

FUNCTION(asm_leaf):	/* no frame, no CFI */
	lea 1(%rdi,%rdi,2), %rax
	nop
	ret
END(asm_leaf)

FUNCTION(asm_frame):	/* a frame that no CFI mentions */
	push %rbp
	mov %rsp, %rbp
	call *%rsi
	add $1, %rax
	pop %rbp
	ret
END(asm_frame)

FUNCTION(asm_data):	/* FP is data here: frame pointers end or go wrong */
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov %rdi, %rbp
	call *%rsi
	add %rbp, %rax
	pop %rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
END(asm_data)

FUNCTION(asm_bare):	/* no frame, but a call */
	sub $8, %rsp
	call *%rsi
	add $8, %rsp
	ret
END(asm_bare)

FUNCTION(asm_pushes):	/* FP points below other registers */
	push %rbx
	push %rbp
	mov %rsp, %rbp
	sub $8, %rsp
	call *%rsi
	leave
	pop %rbx
	ret
END(asm_pushes)

FUNCTION(asm_jump):	/* to the next function's start */
	.cfi_startproc
	inc %rdi
	jmp asm_leaf
	.cfi_endproc
END(asm_jump)

FUNCTION(asm_through):	/* calls the next function with a frame, and goes on into it without */
	.cfi_startproc
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov %rsp, %rbp
	.cfi_def_cfa_register %rbp
	call asm_next
	mov %rax, %rdi
	pop %rbp
	.cfi_def_cfa %rsp, 8
	.cfi_endproc
END(asm_through)

FUNCTION(asm_next):
	.cfi_startproc
	lea 1(%rdi,%rdi,2), %rax
	nop
	ret
	.cfi_endproc
END(asm_next)
	.section .note.GNU-stack,"",@progbits
