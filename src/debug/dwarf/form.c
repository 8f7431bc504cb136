// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/abbrev.h"

#include <dwarf.h>

#include "util/vec.h"

/* placeholders for sizes that depend on the unit; larger than any real size */
enum { SIZE_ADDRESS = 0xfd, SIZE_OFFSET, SIZE_REFERENCE };

struct form {
	uint8_t shape, size;
	bool known;
};

#define FIXED(n)                                                                                   \
	{                                                                                          \
		FORM_FIXED, (n), true                                                              \
	}
#define SHAPED(shape)                                                                              \
	{                                                                                          \
		(shape), 0, true                                                                   \
	}

static const struct form forms[] = {
	[DW_FORM_addr] = FIXED(SIZE_ADDRESS),
	[DW_FORM_block2] = SHAPED(FORM_BLOCK2),
	[DW_FORM_block4] = SHAPED(FORM_BLOCK4),
	[DW_FORM_data2] = FIXED(2),
	[DW_FORM_data4] = FIXED(4),
	[DW_FORM_data8] = FIXED(8),
	[DW_FORM_string] = SHAPED(FORM_STRING),
	[DW_FORM_block] = SHAPED(FORM_BLOCK_LEB),
	[DW_FORM_block1] = SHAPED(FORM_BLOCK1),
	[DW_FORM_data1] = FIXED(1),
	[DW_FORM_flag] = FIXED(1),
	[DW_FORM_sdata] = SHAPED(FORM_LEB),
	[DW_FORM_strp] = FIXED(SIZE_OFFSET),
	[DW_FORM_udata] = SHAPED(FORM_LEB),
	[DW_FORM_ref_addr] = FIXED(SIZE_REFERENCE),
	[DW_FORM_ref1] = FIXED(1),
	[DW_FORM_ref2] = FIXED(2),
	[DW_FORM_ref4] = FIXED(4),
	[DW_FORM_ref8] = FIXED(8),
	[DW_FORM_ref_udata] = SHAPED(FORM_LEB),
	[DW_FORM_indirect] = SHAPED(FORM_INDIRECT),
	[DW_FORM_sec_offset] = FIXED(SIZE_OFFSET),
	[DW_FORM_exprloc] = SHAPED(FORM_BLOCK_LEB),
	[DW_FORM_flag_present] = FIXED(0),
	[DW_FORM_strx] = SHAPED(FORM_LEB),
	[DW_FORM_addrx] = SHAPED(FORM_LEB),
	[DW_FORM_ref_sup4] = FIXED(4),
	[DW_FORM_strp_sup] = FIXED(SIZE_OFFSET),
	[DW_FORM_data16] = FIXED(16),
	[DW_FORM_line_strp] = FIXED(SIZE_OFFSET),
	[DW_FORM_ref_sig8] = FIXED(8),
	[DW_FORM_implicit_const] = FIXED(0),
	[DW_FORM_loclistx] = SHAPED(FORM_LEB),
	[DW_FORM_rnglistx] = SHAPED(FORM_LEB),
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

/* Returns the standard form that is encoded like GNU's FORM. */
static unsigned standard_form(unsigned form)
{
	switch (form) {
	case DW_FORM_GNU_addr_index:
		return DW_FORM_addrx;
	case DW_FORM_GNU_str_index:
		return DW_FORM_strx;
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return DW_FORM_strp_sup;
	}
	return form;
}

static inline enum form_shape shape_of(
	unsigned form, const struct encoding *encoding, unsigned *size_ret)
{
	if (form >= array_len(forms))
		form = standard_form(form);
	if (form >= array_len(forms) || !forms[form].known)
		return FORM_UNKNOWN;
	*size_ret = forms[form].size;
	if (*size_ret == SIZE_ADDRESS)
		*size_ret = encoding->address_size;
	else if (*size_ret == SIZE_OFFSET)
		*size_ret = encoding->offset_size;
	else if (*size_ret == SIZE_REFERENCE) /* DWARF 2 stores an address */
		*size_ret = encoding->version == 2 ? encoding->address_size : encoding->offset_size;
	return (enum form_shape)forms[form].shape;
}

enum form_shape form_shape(unsigned form, const struct encoding *encoding, unsigned *size_ret)
{
	return shape_of(form, encoding, size_ret);
}

/*
 * Reads the form after DW_FORM_indirect. Fails for a second DW_FORM_indirect, and for
 * DW_FORM_implicit_const, which has no value here.
 */
static unsigned read_indirect(struct cursor *cursor)
{
	uint64_t form = cursor_uleb(cursor);

	if (form != DW_FORM_indirect && form != DW_FORM_implicit_const && form <= UINT16_MAX)
		return (unsigned)form;
	cursor_fail(cursor);
	return 0;
}

static void skip_indirect(struct cursor *cursor, const struct encoding *encoding)
{
	unsigned size = 0;
	enum form_shape shape = form_shape(read_indirect(cursor), encoding, &size);

	if (shape == FORM_FIXED)
		cursor_skip(cursor, size);
	else if (shape == FORM_INDIRECT || shape == FORM_UNKNOWN)
		cursor_fail(cursor);
	else
		form_skip(cursor, shape, encoding);
}

void form_skip(struct cursor *cursor, enum form_shape shape, const struct encoding *encoding)
{
	switch (shape) {
	case FORM_LEB:
		cursor_uleb(cursor);
		break;
	case FORM_STRING:
		cursor_string(cursor);
		break;
	case FORM_BLOCK1:
		cursor_skip(cursor, cursor_u8(cursor));
		break;
	case FORM_BLOCK2:
		cursor_skip(cursor, cursor_u16(cursor));
		break;
	case FORM_BLOCK4:
		cursor_skip(cursor, cursor_u32(cursor));
		break;
	case FORM_BLOCK_LEB:
		cursor_skip(cursor, cursor_uleb(cursor));
		break;
	case FORM_INDIRECT:
		skip_indirect(cursor, encoding);
		break;
	case FORM_FIXED:
	case FORM_UNKNOWN:
		cursor_fail(cursor);
	}
}

static void read_block(struct cursor *cursor, uint64_t len, struct form_value *value)
{
	value->bytes = cursor->at;
	value->number = len;
	cursor_skip(cursor, len);
}

static void read_fixed(struct cursor *cursor, unsigned size, struct form_value *value)
{
	if (size <= 8)
		value->number = cursor_number(cursor, size);
	else
		read_block(cursor, size, value);
}

struct form_value form_read(
	struct cursor *cursor, unsigned form, int64_t implicit, const struct encoding *encoding)
{
	unsigned size = 0;

	if (form == DW_FORM_indirect)
		form = read_indirect(cursor);
	struct form_value value = {.form = (uint16_t)form};
	switch (shape_of(form, encoding, &size)) {
	case FORM_FIXED:
		read_fixed(cursor, size, &value);
		if (form == DW_FORM_implicit_const)
			value.number = (uint64_t)implicit;
		if (form == DW_FORM_flag_present)
			value.number = 1;
		break;
	case FORM_LEB:
		value.number =
			form == DW_FORM_sdata ? (uint64_t)cursor_sleb(cursor) : cursor_uleb(cursor);
		break;
	case FORM_STRING:
		value.bytes = cursor->at;
		cursor_string(cursor);
		break;
	case FORM_BLOCK1:
		read_block(cursor, cursor_u8(cursor), &value);
		break;
	case FORM_BLOCK2:
		read_block(cursor, cursor_u16(cursor), &value);
		break;
	case FORM_BLOCK4:
		read_block(cursor, cursor_u32(cursor), &value);
		break;
	case FORM_BLOCK_LEB:
		read_block(cursor, cursor_uleb(cursor), &value);
		break;
	case FORM_INDIRECT:
	case FORM_UNKNOWN:
		cursor_fail(cursor);
	}
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
