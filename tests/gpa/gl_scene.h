/* Small scenes with known counts, on an OpenGL 4.5 context without a window. */
#ifndef TESTS_GPA_GL_SCENE_H
#define TESTS_GPA_GL_SCENE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gl_scene;

/* A context of its own with a framebuffer of 64x64, current on this thread; NULL: not here. */
struct gl_scene *scene_create(void);
void scene_destroy(struct gl_scene *scene);
/* The EGLContext. */
void *scene_context(const struct gl_scene *scene);
const char *scene_renderer(void);
/* Makes the context current, or none. */
bool scene_bind(struct gl_scene *scene, bool bind);

void scene_triangles(struct gl_scene *scene); /* 2 small triangles of 6 vertices */
void scene_compute(struct gl_scene *scene);   /* 3x2 groups of 8x2 threads */
/*
 * 5 points through a geometry shader that emits 1 point on stream 0 and 3 on stream 1, captured
 * into buffers of 8 points each.
 */
void scene_streams(struct gl_scene *scene);
void scene_patches(struct gl_scene *scene); /* 2 patches, every level 2 */
void scene_depth(struct gl_scene *scene);   /* the whole framebuffer twice, depth LESS */
/* The program's own query of samples passed, around what follows; its result. */
void scene_own_query_begin(struct gl_scene *scene);
unsigned scene_own_query_end(struct gl_scene *scene);
/* A buffer for the program's results is bound, full of 0xab; whether it still is both. */
void scene_query_buffer(struct gl_scene *scene);
bool scene_query_buffer_is_whole(struct gl_scene *scene);
/* It is deleted where it is not bound: here it lives on. Then it is bound no more. */
void scene_query_buffer_delete(struct gl_scene *scene);
void scene_query_buffer_end(struct gl_scene *scene);

#ifdef __cplusplus
}
#endif

#endif
