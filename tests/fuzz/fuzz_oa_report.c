/* Bare reports of every format, and the texts of events and triggers; the first byte chooses. */
#include <stdlib.h>
#include <string.h>

#include <sextant/oa.h>
#include <sextant/table.h>
#include "fuzz.h"
#include "wire/oa/flex.h"
#include "wire/oa/oa.h"

static void decode_reports(const uint8_t *data, size_t size)
{
	/* The second byte, from 0xc0 on, chooses a later or an older generation. */
	static const struct {
		uint32_t device_id;
		enum sx_oa_format format;
	} others[] = {{0x0412, SX_OA_A45_B8_C8},
		      {0x0412, SX_OA_B4_C8_A16},
		      {0x0412, SX_OA_HSW_C4_B8},
		      {0x9a49, SX_OA_A32U40_A4U32_B8_C8},
		      {0x7d55, SX_OA_A24U40_A14U32_B8_C8},
		      {0x7d55, SX_OA_MPEC8U64_B8_C8},
		      {0x7d55, SX_OA_MPEC8U32_B8_C8},
		      {0x64a0, SX_OA_PEC64U64_B8_C8},
		      {0x64a0, SX_OA_PEC64U32},
		      {0x64a0, SX_OA_PEC36U64_G1_4_G2_32}};
	size_t other =
	    data[1] >= 0xc0 ? (data[1] & 0x3f) % (sizeof(others) / sizeof(others[0])) : 0;
	struct sx_oa_options options = {
	    .input = SX_OA_REPORTS,
	    .format =
		data[1] >= 0xc0 ? others[other].format : (enum sx_oa_format)(7 + (data[0] & 3)),
	    .rows = (enum sx_oa_rows)(data[0] >> 2 & 3),
	    .header = data[0] >> 4 & 1 ? SX_OA_HEADER_COMMAND : SX_OA_HEADER_BUFFER,
	    .device = {.device_id = data[1] >= 0xc0 ? others[other].device_id : 0,
		       .gt_min_hz = data[0] >> 5 & 1 ? 300000000 : 0,
		       .gt_max_hz = 900000000},
	    .batch_rows = 3};
	struct sx_oa_decoder *decoder;
	struct sx_error err;
	size_t at = 1, used;
	enum sx_status status;
	if (sx_oa_decoder_create(&options, &decoder, &err))
		abort();
	while ((status = sx_oa_decoder_feed(decoder, data + at, size - at, &used, &err)) ==
	       SX_AGAIN) {
		at += used;
		sx_oa_decoder_drain(decoder);
	}
	if (status == SX_OK)
		sx_oa_decoder_finish(decoder, size - at - used, &err);
	sx_oa_decoder_destroy(decoder);
}

/* What parses can be written, and reads back as the same. */
static void parse_texts(const char *text)
{
	struct oa_flex_counter counter;
	uint32_t address, value, again;
	char line[OA_TRIGGER_TEXT_MAX];
	struct sx_error err;
	if (oa_flex_parse(text, &counter, &err) == SX_OK) {
		struct oa_flex_place place;
		if (!oa_flex_place(counter.counter, &place))
			abort();
		struct oa_flex back =
		    oa_flex_decode(counter.counter, oa_flex_field(&counter.flex) << place.shift);
		if (memcmp(&back, &counter.flex, sizeof(back)) != 0)
			abort();
	}
	if (oa_trigger_parse(text, &address, &value, &err) == SX_OK)
		if (oa_trigger_describe(address, value, line, &err) ||
		    oa_trigger_parse(line, &address, &again, &err) || again != value)
			abort();
	oa_flex_register(text);
}

static void read_topology(const uint8_t *data, size_t size)
{
	struct sx_oa_device device = {.timestamp_hz = 1};
	struct sx_oa_constants constants;
	struct sx_error err;
	uint8_t *copy = malloc(size + 1);
	if (!copy)
		return;
	memcpy(copy, data, size);
	oa_topology_read(copy, size, &device, &err);
	sx_oa_device_constants(&device, &constants);
	if (constants.count > SX_OA_CONSTANTS_MAX)
		abort();
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[512];
	if (size < 2)
		return 0;
	if (data[0] & 0x80) {
		size_t length = size - 1 < sizeof(text) ? size - 1 : sizeof(text) - 1;
		memcpy(text, data + 1, length);
		text[length] = '\0';
		parse_texts(text);
	} else if (data[0] & 0x40) {
		read_topology(data + 1, size - 1);
	} else {
		decode_reports(data, size);
	}
	return 0;
}
