/* `top` without ncurses: it prints lines of text. */
#include "tools/verbs/top/terminal.h"

#include "tools/verbs/top/keys.h"

enum sx_status terminal_open(int from, int to, bool color, struct terminal **out,
			     struct sx_error *err)
{
	*out = NULL;
	error_set(err, SX_ERR_UNSUPPORTED, "this sextant cannot draw on a terminal");
	error_because(err, "it was built without ncurses");
	error_try(err, "sextant top --once, or a build with libncurses-dev");
	return SX_ERR_UNSUPPORTED;
}

void terminal_close(struct terminal *terminal)
{
}

int terminal_descriptors(const struct terminal *terminal, int out[2])
{
	return 0;
}

bool terminal_key(struct terminal *terminal, int *key)
{
	*key = TOP_KEY_NONE;
	return false;
}

void terminal_size(const struct terminal *terminal, int *width, int *height)
{
	*width = *height = 0;
}

bool terminal_draw(struct terminal *terminal, const struct screen *screen)
{
	return false;
}

void terminal_refresh(struct terminal *terminal)
{
}
