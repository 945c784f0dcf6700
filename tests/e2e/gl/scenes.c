/*
 * Frames with known counts: one scene a frame, in the order of the arguments. Prints a hash of
 * each picture and the GL error, so that runs can be compared. The first argument is the profile.
 */
#include <stdbool.h>
#include <string.h>

#include "window.h"

static const char vertex[] = "#version 430\n"
			     "uniform float depth = 0.0;\n"
			     "void main() {\n"
			     "	vec2 at[6] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(1, 1),\n"
			     "		vec2(-1, -1), vec2(1, 1), vec2(-1, 1));\n"
			     "	gl_Position = vec4(at[gl_VertexID], depth, 1);\n"
			     "}\n";
static const char fragment[] = "#version 430\n"
			       "out vec4 color;\n"
			       "void main() { color = vec4(gl_FragCoord.xy / 64.0, 0.5, 1); }\n";
static const char points[] = "#version 430\n"
			     "void main() { gl_Position = vec4(0, 0, 0, 1); }\n";
static const char streams[] = "#version 430\n"
			      "layout(points) in;\n"
			      "layout(points, max_vertices = 4) out;\n"
			      "layout(stream = 0) out float first;\n"
			      "layout(stream = 1) out float second;\n"
			      "void main() {\n"
			      "	first = 1.0; gl_Position = vec4(0, 0, 0, 1);\n"
			      "	EmitStreamVertex(0); EndStreamPrimitive(0);\n"
			      "	for (int i = 0; i < 3; i++) {\n"
			      "		second = 2.0; EmitStreamVertex(1); EndStreamPrimitive(1);\n"
			      "	}\n"
			      "}\n";
static const char control[] = "#version 430\n"
			      "layout(vertices = 3) out;\n"
			      "void main() {\n"
			      "	gl_TessLevelInner[0] = 2.0;\n"
			      "	gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = 2.0;\n"
			      "	gl_TessLevelOuter[2] = 2.0;\n"
			      "	gl_out[gl_InvocationID].gl_Position =\n"
			      "		gl_in[gl_InvocationID].gl_Position;\n"
			      "}\n";
static const char evaluation[] = "#version 430\n"
				 "layout(triangles) in;\n"
				 "void main() {\n"
				 "	gl_Position = gl_TessCoord.x * gl_in[0].gl_Position +\n"
				 "		gl_TessCoord.y * gl_in[1].gl_Position +\n"
				 "		gl_TessCoord.z * gl_in[2].gl_Position;\n"
				 "}\n";
static const char compute[] = "#version 430\n"
			      "layout(local_size_x = 8, local_size_y = 2) in;\n"
			      "layout(rgba8) uniform writeonly image2D image;\n"
			      "void main() {\n"
			      "	imageStore(image, ivec2(gl_GlobalInvocationID.xy), vec4(1));\n"
			      "}\n";

static GLuint plain_program(void)
{
	const char *const sources[] = {vertex, fragment};
	const GLenum kinds[] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};

	return window_program(sources, kinds, 2, NULL, 0);
}

static void scene_triangles(void)
{
	GLuint program = plain_program();

	glUseProgram(program);
	glDrawArrays(GL_TRIANGLES, 0, 6);
	glDeleteProgram(program);
}

/* The second square lies behind the first. */
static void scene_occlusion(void)
{
	GLuint program = plain_program();
	GLint depth = glGetUniformLocation(program, "depth");

	glUseProgram(program);
	glEnable(GL_DEPTH_TEST);
	glDepthFunc(GL_LESS);
	glUniform1f(depth, 0.0f);
	glDrawArrays(GL_TRIANGLES, 0, 6);
	glUniform1f(depth, 0.5f);
	glDrawArrays(GL_TRIANGLES, 0, 6);
	glDisable(GL_DEPTH_TEST);
	glDeleteProgram(program);
}

static void scene_compute(void)
{
	const char *const sources[] = {compute};
	const GLenum kinds[] = {GL_COMPUTE_SHADER};
	GLuint program = window_program(sources, kinds, 1, NULL, 0), texture;

	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 64, 64);
	glBindImageTexture(0, texture, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
	glUseProgram(program);
	glDispatchCompute(3, 2, 1);
	glDeleteTextures(1, &texture);
	glDeleteProgram(program);
}

static void scene_tessellation(void)
{
	const char *const sources[] = {vertex, control, evaluation, fragment};
	const GLenum kinds[] = {GL_VERTEX_SHADER, GL_TESS_CONTROL_SHADER, GL_TESS_EVALUATION_SHADER,
				GL_FRAGMENT_SHADER};
	GLuint program = window_program(sources, kinds, 4, NULL, 0);

	glUseProgram(program);
	glPatchParameteri(GL_PATCH_VERTICES, 3);
	glDrawArrays(GL_PATCHES, 0, 6);
	glDeleteProgram(program);
}

/* Five points give 5 on stream 0 and 15 on stream 1; each buffer has room for 8. */
static void feedback(int sections, bool swap_inside, const struct window *window)
{
	const char *const sources[] = {points, streams};
	const GLenum kinds[] = {GL_VERTEX_SHADER, GL_GEOMETRY_SHADER};
	const char *const captured[] = {"first", "gl_NextBuffer", "second"};
	GLuint program = window_program(sources, kinds, 2, captured, 3), buffers[2];

	glGenBuffers(2, buffers);
	for (GLuint i = 0; i < 2; i++) {
		glBindBuffer(GL_TRANSFORM_FEEDBACK_BUFFER, buffers[i]);
		glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 8 * sizeof(float), NULL, GL_STREAM_COPY);
		glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, i, buffers[i]);
	}
	glUseProgram(program);
	glEnable(GL_RASTERIZER_DISCARD);
	for (int i = 0; i < sections; i++) {
		glBeginTransformFeedback(GL_POINTS);
		/* Only the last section overflows. */
		glDrawArrays(GL_POINTS, 0, i + 1 == sections ? 5 : 1);
		if (swap_inside)
			window_swap(window);
		glEndTransformFeedback();
	}
	glDisable(GL_RASTERIZER_DISCARD);
	glDeleteBuffers(2, buffers);
	glDeleteProgram(program);
}

static void draw(const char *scene, const struct window *window)
{
	glClearColor(0.25f, 0.5f, 0.75f, 1.0f);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	if (strcmp(scene, "triangles") == 0)
		scene_triangles();
	else if (strcmp(scene, "occlusion") == 0)
		scene_occlusion();
	else if (strcmp(scene, "compute") == 0)
		scene_compute();
	else if (strcmp(scene, "tessellation") == 0)
		scene_tessellation();
	else if (strcmp(scene, "feedback") == 0)
		feedback(1, false, window);
	else if (strcmp(scene, "feedback-3") == 0)
		feedback(3, false, window);
	else if (strcmp(scene, "feedback-9") == 0)
		feedback(9, false, window);
	else if (strcmp(scene, "feedback-swap") == 0)
		feedback(1, true, window);
	else if (strcmp(scene, "group") == 0) {
		glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, "shadows");
		glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 2, 3, "inner");
		scene_triangles();
		glPopDebugGroup();
		glPopDebugGroup();
		glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 3, 4, "lights");
		glPopDebugGroup();
	} else
		EXPECT(strcmp(scene, "nothing") == 0);
}

int main(int argc, char **argv)
{
	struct window window;
	bool core = argc > 1 && strcmp(argv[1], "core") == 0;
	GLuint array;

	window_display(&window);
	window_open(&window, core ? WINDOW_CORE : WINDOW_COMPAT);
	window_bind(&window);
	glGenVertexArrays(1, &array);
	glBindVertexArray(array);
	for (int i = 2; i < argc; i++) {
		draw(argv[i], &window);
		printf("%s %08x %04x\n", argv[i], window_hash(), glGetError());
		window_swap(&window);
	}
	if (argc > 2)
		window_close(&window);
	return 0;
}
