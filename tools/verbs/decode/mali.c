/* Mali dumps back to back: `decode --as mali-dump:u32` and `mali-dump:u64`. */
#include "import/raw/raw.h"
#include "tools/verbs/decode/formats.h"

static enum sx_status mali_dump_decode(struct decode_job *job, struct sx_error *err)
{
	return raw_mali_dump(&job->in, err);
}

const struct decode_format decode_mali_dump = {
    .kind = "mali-dump:",
    .by = "instance",
    .about = "mali-dump:u32, mali-dump:u64: dumps of all counter blocks back to back",
    .decode = mali_dump_decode,
};
