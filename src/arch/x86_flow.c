// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes x86-64 and i386: Intel SDM volume 2, chapter 2 (formats) and appendix A (opcode maps).
 * Instructions that no current compiler emits (3DNow!, XOP, APX), and those that Intel and AMD
 * decode differently, are unknown.
 */
#include "arch/arch.h"

/* What follows an opcode, as letters of the maps below. */
enum {
	NOTHING = '.',
	MODRM = 'm',
	MODRM_IMM8 = 'i',
	MODRM_IMM = 'z', /* 4 bytes; 2 with prefix 66 */
	IMM8 = 'b',
	IMM = 'w',
	IMM16 = '2',
	IMM64 = 'v',	  /* 4 bytes; 2 with prefix 66, 8 with REX.W */
	ENTER = '3',	  /* 2 bytes + 1 byte */
	OFFSET = 'o',	  /* address: 8 bytes; 4 with prefix 67 */
	GROUP3 = 'g',	  /* MODRM; 1 more byte for some values of it */
	GROUP3_IMM = 'G', /* likewise, 4 or 2 bytes */
	BAD = 'x',
};

/* One-byte opcodes; entries for prefixes and escapes are unused. */
static const char one_byte[] = "mmmmbwxx"
			       "mmmmbwxx"
			       "mmmmbwxx"
			       "mmmmbwxx"
			       "mmmmbwxx"
			       "mmmmbwxx"
			       "mmmmbwxx"
			       "mmmmbwxx"
			       "xxxxxxxx"
			       "xxxxxxxx"
			       "........"
			       "........"
			       "xxxmxxxx"
			       "wzbi...."
			       "bbbbbbbb"
			       "bbbbbbbb"
			       "izximmmm"
			       "mmmmmmmm"
			       "........"
			       "..x....."
			       "oooo...."
			       "bw......"
			       "bbbbbbbb"
			       "vvvvvvvv"
			       "ii2.xxiz"
			       "3.2..bx."
			       "mmmmxxx."
			       "mmmmmmmm"
			       "bbbbbbbb"
			       "wwxb...."
			       "x.xx..gG"
			       "......mm";

/* Opcodes after 0f, also for VEX and EVEX. 20 to 23 have register operands only. */
static const char two_bytes[] = "mmmmx..."
				"..x.xm.x"
				"mmmmmmmm"
				"mmmmmmmm"
				"xxxxxxxx"
				"mmmmmmmm"
				"......x."
				"xxxxxxxx"
				"mmmmmmmm"
				"mmmmmmmm"
				"mmmmmmmm"
				"mmmmmmmm"
				"mmmmmmmm"
				"mmmmmmmm"
				"iiiimmm."
				"mmxxmmmm"
				"wwwwwwww"
				"wwwwwwww"
				"mmmmmmmm"
				"mmmmmmmm"
				"...mimxx"
				"...mimmm"
				"mmmmmmmm"
				"mmimmmmm"
				"mmimiiim"
				"........"
				"mmmmmmmm"
				"mmmmmmmm"
				"mmmmmmmm"
				"mmmmmmmm"
				"mmmmmmmm"
				"mmmmmmmm";

struct instruction {
	const uint8_t *at, *end; /* next byte; end of the code */
	bool word, rex_w, addr;	 /* prefixes 66, REX.W, 67 */
	bool narrow;		 /* i386 */
	uint8_t rex;
	bool repeat;  /* f2 or f3 */
	unsigned map; /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a */
	uint8_t opcode, modrm;
};

static bool next_byte(struct instruction *in, uint8_t *ret)
{
	if (in->at >= in->end)
		return false;
	*ret = *in->at++;
	return true;
}

/* Skips prefixes; RET is the first other byte. */
static bool read_prefixes(struct instruction *in, uint8_t *ret)
{
	while (next_byte(in, ret)) {
		switch (*ret) {
		case 0x66:
			in->word = true;
			break;
		case 0x67:
			in->addr = true;
			break;
		case 0xf2:
		case 0xf3:
			in->repeat = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x64:
		case 0x65:
		case 0xf0:
			break;
		default:
			if (in->narrow || (*ret & 0xf0) != 0x40)
				return true;
			/* REX is effective only right before the opcode. */
			in->rex_w = *ret & 8;
			in->rex = *ret;
			continue;
		}
		in->rex_w = false;
		in->rex = 0;
	}
	return false;
}

/* Reads a VEX or EVEX prefix, whose first byte is FIRST, and the opcode. */
static bool read_vex(struct instruction *in, uint8_t first)
{
	uint8_t byte, skipped;

	if (!next_byte(in, &byte))
		return false;
	in->map = first == 0xc5 ? 1 : first == 0xc4 ? byte & 0x1f : byte & 7;
	for (int i = first == 0xc5 ? 0 : first == 0xc4 ? 1 : 2; i > 0; i--)
		if (!next_byte(in, &skipped))
			return false;
	/* EVEX maps 5 and 6: 16-bit floating point, without immediates. */
	if (first == 0x62 && (in->map == 5 || in->map == 6))
		in->map = 2;
	return in->map >= 1 && in->map <= 3 && next_byte(in, &in->opcode);
}

static bool read_opcode(struct instruction *in)
{
	uint8_t byte;

	if (!read_prefixes(in, &byte))
		return false;
	if ((byte == 0xc4 || byte == 0xc5 || byte == 0x62) &&
		(!in->narrow || (in->at < in->end && *in->at >= 0xc0)))
		return read_vex(in, byte);
	in->opcode = byte;
	if (byte != 0x0f)
		return true;
	in->map = 1;
	if (!next_byte(in, &in->opcode))
		return false;
	if (in->opcode != 0x38 && in->opcode != 0x3a)
		return true;
	in->map = in->opcode == 0x38 ? 2 : 3;
	return next_byte(in, &in->opcode);
}

/* Skips ModRM, SIB and displacement. */
static bool read_operand(struct instruction *in)
{
	uint8_t sib = 0;

	if (!next_byte(in, &in->modrm))
		return false;
	unsigned mode = in->modrm >> 6, operand = in->modrm & 7;
	if (mode == 3 || (in->map == 1 && in->opcode >= 0x20 && in->opcode <= 0x23))
		return true;
	if (operand == 4 && !next_byte(in, &sib))
		return false;
	bool disp32 =
		mode == 2 || (mode == 0 && (operand == 5 || (operand == 4 && (sib & 7) == 5)));
	in->at += disp32 ? 4 : mode == 1 ? 1 : 0;
	return true;
}

static char form_of(const struct instruction *in)
{
	if (in->map >= 2)
		return in->map == 2 ? MODRM : MODRM_IMM8;
	/*
	 * AMD's extrq and insertq have immediates, Intel's vmread has none; 66 e8 has 2 or 4 bytes.
	 */
	if (in->map == 1 && in->opcode == 0x78 && (in->word || in->repeat))
		return BAD;
	bool branch =
		in->map ? (in->opcode & 0xf0) == 0x80 : in->opcode == 0xe8 || in->opcode == 0xe9;
	if (branch && in->word && !in->rex_w)
		return BAD;
	if (in->narrow && !in->map && (in->opcode & 0xf0) == 0x40)
		return NOTHING; /* inc and dec */
	return in->map ? two_bytes[in->opcode] : one_byte[in->opcode];
}

/* Returns the size of the immediate, in bytes. */
static size_t constant_size(const struct instruction *in, char form)
{
	size_t size = in->word && !in->rex_w ? 2 : 4;

	switch (form) {
	case MODRM_IMM8:
	case IMM8:
		return 1;
	case MODRM_IMM:
	case IMM:
		return size;
	case IMM16:
		return 2;
	case ENTER:
		return 3;
	case IMM64:
		return in->rex_w ? 8 : size;
	case OFFSET:
		return in->addr || in->narrow ? 4 : 8;
	case GROUP3:
		return (in->modrm >> 3 & 7) < 2 ? 1 : 0;
	case GROUP3_IMM:
		return (in->modrm >> 3 & 7) < 2 ? size : 0;
	default:
		return 0;
	}
}

static bool is_xbegin(const struct instruction *in)
{
	return !in->map && in->opcode == 0xc7 && in->modrm == 0xf8;
}

/* Finds where the instruction leads; the immediate is at CONSTANT. */
static void find_flow(
	const struct instruction *in, const uint8_t *constant, uint64_t next, struct flow *ret)
{
	unsigned operation = in->modrm >> 3 & 7;
	bool near = in->map ? in->map == 1 && (in->opcode & 0xf0) == 0x80
			    : in->opcode == 0xe8 || in->opcode == 0xe9 || is_xbegin(in);
	bool brief = !in->map && ((in->opcode & 0xf0) == 0x70 || in->opcode == 0xeb ||
					 (in->opcode & 0xfc) == 0xe0);

	*ret = (struct flow){};
	if (near || brief) {
		int64_t offset = brief ? (int8_t)*constant : (int32_t)arch_word(constant);

		ret->kind = !in->map && in->opcode == 0xe8 ? FLOW_CALL : FLOW_JUMP;
		ret->target = next + (uint64_t)offset;
		if (in->narrow)
			ret->target = (uint32_t)ret->target;
	} else if (!in->map && in->opcode == 0xff && operation >= 2 && operation <= 5 &&
		   in->modrm >> 3 != 0x1b) {
		ret->kind = operation < 4 ? FLOW_CALL : FLOW_JUMP;
		ret->indirect = true;
	}
	/* ud2; ret and lret, with and without a number; jmp */
	ret->ends = in->map ? in->map == 1 && in->opcode == 0x0b
			    : (in->opcode & 0xf6) == 0xc2 || (in->opcode & 0xfd) == 0xe9 ||
				      (ret->kind == FLOW_JUMP && ret->indirect);
}

/* Returns true if the instruction changes RBP, encoded in the opcode or ModRM. */
static bool sets_fp(const struct instruction *in)
{
	enum { RBP = 5, REX_B = 1, REX_R = 4 };
	uint8_t code = in->opcode, low = code & 7;
	bool reg = (in->modrm >> 3 & 7) == RBP && !(in->rex & REX_R);
	bool rm = (in->modrm & 0xc7) == (0xc0 | RBP) && !(in->rex & REX_B);

	if (in->map == 1) /* cmov, bsf and the like, movzx, movsx, imul */
		return reg &&
		       ((code & 0xf0) == 0x40 || (code >= 0xb6 && code <= 0xbf) || code == 0xaf);
	if (in->map)
		return false;
	if (code < 0x38)
		return low < 2 ? rm : low < 4 && reg;
	if ((code & 0xf0) == 0xb0 || (code & 0xf8) == 0x58)
		return low == RBP && !(in->rex & REX_B);
	if (code == 0x63 || code == 0x69 || code == 0x6b || code == 0x8b || code == 0x8d)
		return reg;
	bool shift = (code & 0xfe) == 0xc0 || (code & 0xfc) == 0xd0;
	return code == 0xc9 || (rm && (code == 0x89 || code == 0xc7 || shift ||
					      ((code & 0xfc) == 0x80 && in->modrm >> 3 != 0x1f)));
}

static size_t flow_of(
	const uint8_t *code, size_t len, uint64_t address, bool narrow, struct flow *ret)
{
	struct instruction in = {.at = code,
		.end = code + (len < FLOW_CODE_MAX ? len : FLOW_CODE_MAX),
		.narrow = narrow};

	if (!read_opcode(&in))
		return 0;
	char form = form_of(&in);
	bool operand = form == MODRM || form == MODRM_IMM8 || form == MODRM_IMM || form == GROUP3 ||
		       form == GROUP3_IMM;
	if (form == BAD || (operand && !read_operand(&in)))
		return 0;
	size_t size = constant_size(&in, form);
	if (in.at > in.end || (size_t)(in.end - in.at) < size)
		return 0;
	/* 8f is also the first byte of XOP; xbegin has 2 bytes with prefix 66, as e8 in form_of(). */
	if (!in.map && ((in.opcode == 0x8f && in.modrm >> 3 & 7) || (is_xbegin(&in) && size < 4)))
		return 0;
	size_t length = (size_t)(in.at - code) + size;
	find_flow(&in, in.at, address + length, ret);
	ret->sets_fp = sets_fp(&in);
	return length;
}

size_t flow_x86_64(const uint8_t *code, size_t len, uint64_t address, struct flow *ret)
{
	return flow_of(code, len, address, false, ret);
}

size_t flow_i386(const uint8_t *code, size_t len, uint64_t address, struct flow *ret)
{
	return flow_of(code, len, address, true, ret);
}
