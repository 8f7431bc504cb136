// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes x86-64 and i386: Intel SDM volume 2, chapter 2 (formats) and appendix A (opcode maps).
 * Instructions that no current compiler emits (3DNow!, XOP, APX), and those that Intel and AMD
 * decode differently, are unknown.
 */
#include "arch/arch.h"

/* Letters in the maps below: the bytes that follow an opcode; capitals if ModRM comes first. */
enum {
	NOTHING = '.',
	PREFIX = 'p', /* one more prefix, or the opcode */
	MODRM = 'M',
	MODRM_IMM8 = 'I',
	MODRM_IMM = 'Z',  /* 4 bytes; 2 with prefix 66 */
	GROUP3 = 'G',	  /* 1 more byte for some values of ModRM */
	GROUP3_IMM = 'H', /* likewise, 4 or 2 bytes */
	IMM8 = 'b',
	IMM = 'w',
	IMM16 = '2',
	IMM64 = 'v',  /* 4 bytes; 2 with prefix 66, 8 with REX.W */
	ENTER = '3',  /* 2 bytes + 1 byte */
	OFFSET = 'o', /* address: 8 bytes; 4 with prefix 67 */
	REL8 = 'j',   /* distance of a branch */
	REL32 = 'r',
	BAD = 'x',
};

enum { REX_B = 1, REX_R = 4, REX_W = 8 };

/* One-byte opcodes, 16 a line. 40 to 4f are REX on x86-64; entries of escapes are unused. */
static const char one_byte[] = "MMMMbwxxMMMMbwxx"
			       "MMMMbwxxMMMMbwxx"
			       "MMMMbwpxMMMMbwpx"
			       "MMMMbwpxMMMMbwpx"
			       "................"
			       "................"
			       "xxxMppppwZbI...."
			       "jjjjjjjjjjjjjjjj"
			       "IZxIMMMMMMMMMMMM"
			       "..........x....."
			       "oooo....bw......"
			       "bbbbbbbbvvvvvvvv"
			       "II2.xxIZ3.2..bx."
			       "MMMMxxx.MMMMMMMM"
			       "jjjjbbbbrrxj...."
			       "p.pp..GH......MM";

/* Opcodes after 0f, also for VEX and EVEX. */
static const char two_bytes[] = "MMMMx.....x.xM.x"
				"MMMMMMMMMMMMMMMM"
				"xxxxxxxxMMMMMMMM"
				"......x.xxxxxxxx"
				"MMMMMMMMMMMMMMMM"
				"MMMMMMMMMMMMMMMM"
				"MMMMMMMMMMMMMMMM"
				"IIIIMMM.MMxxMMMM"
				"rrrrrrrrrrrrrrrr"
				"MMMMMMMMMMMMMMMM"
				"...MIMxx...MIMMM"
				"MMMMMMMMMMIMMMMM"
				"MMIMIIIM........"
				"MMMMMMMMMMMMMMMM"
				"MMMMMMMMMMMMMMMM"
				"MMMMMMMMMMMMMMMM";

struct instruction {
	const uint8_t *at, *end; /* next byte; end of the code */
	bool word, addr, repeat; /* prefixes 66; 67; f2 or f3 */
	bool narrow;		 /* i386 */
	uint8_t rex;
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

/* Reads a VEX or EVEX prefix, whose first byte is FIRST, and the opcode. */
static bool read_vex(struct instruction *in, uint8_t first)
{
	uint8_t byte;

	if (!next_byte(in, &byte))
		return false;
	in->map = first == 0xc5 ? 1 : first == 0xc4 ? byte & 0x1f : byte & 7;
	in->at += first == 0xc5 ? 0 : first == 0xc4 ? 1 : 2;
	/* EVEX maps 5 and 6: 16-bit floating point, without immediates. */
	if (first == 0x62 && (in->map == 5 || in->map == 6))
		in->map = 2;
	return in->map >= 1 && in->map <= 3 && next_byte(in, &in->opcode);
}

static bool read_opcode(struct instruction *in)
{
	uint8_t byte;

	for (;;) {
		if (!next_byte(in, &byte))
			return false;
		bool rex = !in->narrow && (byte & 0xf0) == 0x40;

		if (!rex && one_byte[byte] != PREFIX)
			break;
		/* REX is effective only right before the opcode. */
		in->rex = rex ? byte : 0;
		in->word |= byte == 0x66;
		in->addr |= byte == 0x67;
		in->repeat |= (byte & 0xfe) == 0xf2;
	}
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
	if (mode == 3)
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
	char form = in->map ? two_bytes[in->opcode] : one_byte[in->opcode];
	/* The distance has 4 bytes for Intel, 2 for AMD. */
	if (form == REL32 && in->word && !(in->rex & REX_W))
		return BAD;
	/* AMD's extrq and insertq have immediates, Intel's vmread has none. */
	return in->map && in->opcode == 0x78 && (in->word || in->repeat) ? BAD : form;
}

/* Returns the size of the immediate, in bytes. */
static size_t constant_size(const struct instruction *in, char form)
{
	size_t size = in->word && !(in->rex & REX_W) ? 2 : 4;

	switch (form) {
	case MODRM_IMM8:
	case IMM8:
	case REL8:
		return 1;
	case MODRM_IMM:
	case IMM:
	case REL32:
		return size;
	case IMM16:
		return 2;
	case ENTER:
		return 3;
	case IMM64:
		return in->rex & REX_W ? 8 : size;
	case OFFSET:
		return in->addr || in->narrow ? 4 : 8;
	case GROUP3:
	case GROUP3_IMM:
		return (in->modrm >> 3 & 7) >= 2 ? 0 : form == GROUP3 ? 1 : size;
	default:
		return 0;
	}
}

/* Finds where the instruction leads; NEXT is the address after it. */
static void find_flow(const struct instruction *in, char form, uint64_t next, struct flow *ret)
{
	unsigned operation = in->modrm >> 3 & 7;

	*ret = (struct flow){};
	if (form == REL8 || form == REL32) {
		int64_t distance = form == REL8 ? (int8_t)*in->at : (int32_t)arch_word(in->at);

		ret->kind = in->opcode == 0xe8 ? FLOW_CALL : FLOW_JUMP;
		ret->target = next + (uint64_t)distance;
		if (in->narrow)
			ret->target = (uint32_t)ret->target;
	} else if (!in->map && in->opcode == 0xff && operation >= 2 && operation <= 5 &&
		   in->modrm >> 3 != 0x1b) {
		ret->kind = operation < 4 ? FLOW_CALL : FLOW_JUMP;
		ret->indirect = true;
	}
	if (!in->map && (in->opcode & 0xf6) == 0xc2) /* ret and lret, with and without a number */
		ret->kind = FLOW_RETURN;
	/* ud2; jmp */
	ret->ends = in->map ? in->map == 1 && in->opcode == 0x0b
			    : ret->kind == FLOW_RETURN || (in->opcode & 0xfd) == 0xe9 ||
				      (ret->kind == FLOW_JUMP && ret->indirect);
}

/*
 * Returns what the instruction does to RBP, encoded in the opcode or ModRM. Instructions that only
 * compute with the old value follow another one.
 */
static enum flow_fp effect_on_fp(const struct instruction *in)
{
	enum { RBP = 5, FROM_RSP = 0xe5 };
	uint8_t code = in->opcode, low = code & 7;
	bool reg = (in->modrm >> 3 & 7) == RBP && !(in->rex & REX_R);
	bool rm = (in->modrm & 0xc7) == (0xc0 | RBP) && !(in->rex & REX_B);
	bool own = low == RBP && !(in->rex & REX_B), sets;

	if (in->map) /* movzx, movsx, bsf and the like */
		sets = in->map == 1 && reg && code >= 0xb6 && code <= 0xbf;
	else if ((code & 0xf8) == 0x50)
		return own ? FLOW_FP_PUSHED : FLOW_FP_BURIED;
	else if (code == 0x89 && in->modrm == FROM_RSP && in->rex == (in->narrow ? 0 : 0x48))
		return FLOW_FP_FRAMED;
	else if (code < 0x38) /* xor and the like */
		sets = low < 2 ? rm : low < 4 && reg;
	else if ((code & 0xf8) == 0xb8 || (code & 0xf8) == 0x58)
		sets = own;
	else if (code == 0x63 || code == 0x69 || code == 0x6b || code == 0x8b || code == 0x8d)
		sets = reg;
	else
		sets = code == 0xc9 || (rm && (code == 0x89 || code == 0xc7));
	return sets ? FLOW_FP_SET : FLOW_FP_KEPT;
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
	bool operand = form >= 'A' && form <= 'Z';
	if (form == BAD || (operand && !read_operand(&in)))
		return 0;
	size_t size = constant_size(&in, form);
	if (in.at > in.end || (size_t)(in.end - in.at) < size)
		return 0;
	/* 8f is also the first byte of XOP. */
	if (!in.map && in.opcode == 0x8f && in.modrm >> 3 & 7)
		return 0;
	size_t length = (size_t)(in.at - code) + size;
	find_flow(&in, form, address + length, ret);
	ret->fp = effect_on_fp(&in);
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
