// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/abbrev.h"

#include <dwarf.h>

/* placeholders for sizes that depend on the unit; larger than any real size */
enum { SIZE_ADDRESS = 0xfd, SIZE_OFFSET, SIZE_REFERENCE };

#define FIXED(size) (FORM_FIXED | (size) << 8)

/* enum form_shape in the low byte, size in the high byte */
static const uint16_t forms[] = {
	[DW_FORM_addr] = FIXED(SIZE_ADDRESS),
	[DW_FORM_block2] = FORM_BLOCK2,
	[DW_FORM_block4] = FORM_BLOCK4,
	[DW_FORM_data2] = FIXED(2),
	[DW_FORM_data4] = FIXED(4),
	[DW_FORM_data8] = FIXED(8),
	[DW_FORM_string] = FORM_STRING,
	[DW_FORM_block] = FORM_BLOCK_LEB,
	[DW_FORM_block1] = FORM_BLOCK1,
	[DW_FORM_data1] = FIXED(1),
	[DW_FORM_flag] = FIXED(1),
	[DW_FORM_sdata] = FORM_LEB,
	[DW_FORM_strp] = FIXED(SIZE_OFFSET),
	[DW_FORM_udata] = FORM_LEB,
	[DW_FORM_ref_addr] = FIXED(SIZE_REFERENCE),
	[DW_FORM_ref1] = FIXED(1),
	[DW_FORM_ref2] = FIXED(2),
	[DW_FORM_ref4] = FIXED(4),
	[DW_FORM_ref8] = FIXED(8),
	[DW_FORM_ref_udata] = FORM_LEB,
	[DW_FORM_indirect] = FORM_INDIRECT,
	[DW_FORM_sec_offset] = FIXED(SIZE_OFFSET),
	[DW_FORM_exprloc] = FORM_BLOCK_LEB,
	[DW_FORM_flag_present] = FIXED(0),
	[DW_FORM_strx] = FORM_LEB,
	[DW_FORM_addrx] = FORM_LEB,
	[DW_FORM_ref_sup4] = FIXED(4),
	[DW_FORM_strp_sup] = FIXED(SIZE_OFFSET),
	[DW_FORM_data16] = FIXED(16),
	[DW_FORM_line_strp] = FIXED(SIZE_OFFSET),
	[DW_FORM_ref_sig8] = FIXED(8),
	[DW_FORM_implicit_const] = FIXED(0),
	[DW_FORM_loclistx] = FORM_LEB,
	[DW_FORM_rnglistx] = FORM_LEB,
	[DW_FORM_ref_sup8] = FIXED(8),
	[DW_FORM_strx1] = FIXED(1),
	[DW_FORM_strx2] = FIXED(2),
	[DW_FORM_strx3] = FIXED(3),
	[DW_FORM_strx4] = FIXED(4),
	[DW_FORM_addrx1] = FIXED(1),
	[DW_FORM_addrx2] = FIXED(2),
	[DW_FORM_addrx3] = FIXED(3),
	[DW_FORM_addrx4] = FIXED(4),
};

enum form_shape form_shape(unsigned form, const struct encoding *encoding, unsigned *size_ret)
{
	if (form >= array_len(forms)) {
		/* GNU's forms are encoded like standard ones */
		if (form == DW_FORM_GNU_addr_index || form == DW_FORM_GNU_str_index)
			form = DW_FORM_addrx;
		else if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
			form = DW_FORM_strp_sup;
		else
			return FORM_UNKNOWN;
	}
	*size_ret = forms[form] >> 8;
	if (*size_ret == SIZE_ADDRESS)
		*size_ret = encoding->address_size;
	else if (*size_ret == SIZE_OFFSET)
		*size_ret = encoding->offset_size;
	else if (*size_ret == SIZE_REFERENCE) /* DWARF 2 stores an address */
		*size_ret = encoding->version == 2 ? encoding->address_size : encoding->offset_size;
	return (enum form_shape)(forms[form] & 0xff);
}

static void read_block(struct cursor *cursor, uint64_t len, struct form_value *value)
{
	value->bytes = cursor->at;
	value->number = len;
	cursor_skip(cursor, len);
}

/* Reads a value whose size depends on its first bytes. */
static void read_varying(struct cursor *cursor, enum form_shape shape, struct form_value *value)
{
	switch (shape) {
	case FORM_LEB:
		value->number = cursor_uleb(cursor);
		break;
	case FORM_STRING:
		value->bytes = cursor->at;
		cursor_string(cursor);
		break;
	case FORM_BLOCK1:
		read_block(cursor, cursor_u8(cursor), value);
		break;
	case FORM_BLOCK2:
		read_block(cursor, cursor_u16(cursor), value);
		break;
	case FORM_BLOCK4:
		read_block(cursor, cursor_u32(cursor), value);
		break;
	case FORM_BLOCK_LEB:
		read_block(cursor, cursor_uleb(cursor), value);
		break;
	default:
		cursor_fail(cursor);
	}
}

void form_skip(struct cursor *cursor, enum form_shape shape, const struct encoding *encoding)
{
	struct form_value skipped;

	if (shape == FORM_INDIRECT)
		(void)form_read(cursor, DW_FORM_indirect, 0, encoding);
	else
		read_varying(cursor, shape, &skipped);
}

struct form_value form_read(
	struct cursor *cursor, unsigned form, int64_t implicit, const struct encoding *encoding)
{
	unsigned size = 0;

	if (form == DW_FORM_indirect) {
		uint64_t stored = cursor_uleb(cursor);
		/* DW_FORM_implicit_const has no value here; unknown form 0 fails the cursor */
		bool good = stored != DW_FORM_indirect && stored != DW_FORM_implicit_const;

		form = good && stored <= UINT16_MAX ? (unsigned)stored : 0;
	}
	struct form_value value = {.form = (uint16_t)form};
	enum form_shape shape = form_shape(form, encoding, &size);
	if (form == DW_FORM_implicit_const)
		value.number = (uint64_t)implicit;
	else if (form == DW_FORM_flag_present)
		value.number = 1;
	else if (form == DW_FORM_sdata)
		value.number = (uint64_t)cursor_sleb(cursor);
	else if (shape != FORM_FIXED)
		read_varying(cursor, shape, &value);
	else if (size <= 8)
		value.number = cursor_number(cursor, size);
	else
		read_block(cursor, size, &value);
	if (cursor->failed)
		value.form = 0;
	return value;
}

bool form_is_constant(const struct form_value *value)
{
	switch (value->form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_implicit_const:
		return true;
	}
	return false;
}

uint64_t form_constant(const struct form_value *value)
{
	return form_is_constant(value) ? value->number : 0;
}
