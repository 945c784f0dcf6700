/* The one form in which every Mali source hands over a dump, and its decoder reads it. Pure data.
 */
#ifndef WIRE_MALI_H
#define WIRE_MALI_H

/*
 * A RAW_MALI sample: this head (little endian, no padding), one state byte for each block, zeros up
 * to a multiple of 8, then the dump in the layout of struct sx_mali_options.
 *   0 u32 magic   4 u32 flags   8 u32 value bytes   12 u32 slots of a block
 *  16 u32 L2 slices   20 u32 blocks   24 u64 core mask
 */
#define MALI_RAW_MAGIC	0x694c4d53u /* "SMLi" */
#define MALI_RAW_WIDTH	8u	    /* offset of the width of a value, in bytes */
#define MALI_RAW_HEAD	32u
#define MALI_RAW_FAILED (1u << 0) /* the driver says that the sample is wrong: no data in it */

/* State of a block during a sample, as kbase reports it; 0 is unknown and read as counting. */
enum mali_state {
	MALI_STATE_ON = 1 << 0,
	MALI_STATE_OFF = 1 << 1,
	MALI_STATE_AVAILABLE = 1 << 2,
	MALI_STATE_UNAVAILABLE = 1 << 3,
	MALI_STATE_NORMAL = 1 << 4,
	MALI_STATE_PROTECTED = 1 << 5,
};

/* Kinds of block in the order of a dump; also their codes in the catalogs and in kbase. */
enum mali_kind { MALI_FRONT_END, MALI_TILER, MALI_MEMORY, MALI_CORE, MALI_KINDS };

/* Header slots of every block. Bit n of the enable slot covers slots 4n to 4n + 3. */
enum { MALI_SLOT_TIME_LOW, MALI_SLOT_TIME_HIGH, MALI_SLOT_ENABLE, MALI_SLOT_RESERVED };
#define MALI_HEADER_SLOTS 4

#endif
