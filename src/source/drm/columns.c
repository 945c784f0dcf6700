/* The columns of the DRM source, by the names that the catalog `drm` gives them. */
#include "source/drm/drm.h"

#define CARD false
#define WORK true
#define REGION(name)                                                                               \
	{"memory." name ".total", SX_U64, WORK}, {"memory." name ".shared", SX_U64, WORK},         \
	    {"memory." name ".resident", SX_U64, WORK}, {"memory." name ".active", SX_U64, WORK},  \
	{                                                                                          \
		"memory." name ".purgeable", SX_U64, WORK                                          \
	}

const struct drm_column *drm_columns(void)
{
	static const struct drm_column columns[DRM_COLUMNS] = {
#define VALUE(id, column, type, scope) {column, type, scope},
#include "source/drm/values.def"
#undef VALUE
#define ENGINE(id, key, kind, column) {column, SX_U64, WORK},
#include "source/drm/engines.def"
#undef ENGINE
	    REGION("vram"),   REGION("gtt"),	REGION("cpu"),	 REGION("system"),
	    REGION("stolen"), REGION("memory"), REGION("other"),
	};
	return columns;
}
