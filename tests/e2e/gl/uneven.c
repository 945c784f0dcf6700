/*
 * Frames that differ from each other. Arguments: how, and how many frames. Says how many vertices
 * it drew, by its own count.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "window.h"

struct uneven {
	struct window window;
	GLuint query;
	int frames;
	long vertices;
	GLint drawing; /* programs */
	GLuint computing;
};

static void triangles(struct uneven *u, int calls)
{
	for (int i = 0; i < calls; i++)
		glDrawArrays(GL_TRIANGLES, 0, 3);
	u->vertices += 3L * calls;
}

/* More and more. */
static void ramp(struct uneven *u, int frame)
{
	triangles(u, frame / 10 + 1);
}

/* Much and little by turns. */
static void turns(struct uneven *u, int frame)
{
	triangles(u, frame % 2 == 0 ? 9 : 1);
}

/* Drawn far slower than it is asked for: the driver lags as many frames as it can. */
static void behind(struct uneven *u, int frame)
{
	int vertices = frame % 2 == 0 ? 3000 : 1500;
	glEnable(GL_BLEND); /* every triangle is drawn, though each covers those before it */
	glDrawArrays(GL_TRIANGLES, 0, vertices);
	u->vertices += vertices;
}

/* One call, of much in one of a dozen frames by chance. */
static void rare(struct uneven *u, int frame)
{
	uint32_t chance = ((uint32_t)frame + 1) * 0x9e3779b9u;
	chance = (chance ^ chance >> 15) * 0x85ebca6bu;
	int vertices = (chance ^ chance >> 13) % 12 == 0 ? 900 : 60;
	glDrawArrays(GL_TRIANGLES, 0, vertices);
	u->vertices += vertices;
	glFinish(); /* nothing is put off */
}

static const char *const compute = "#version 430\n"
				   "layout(local_size_x = 64) in;\n"
				   "layout(std430, binding = 0) buffer B { uint n[]; };\n"
				   "void main() { n[gl_LocalInvocationID.x] += 1u; }\n";

/* One dispatch of 64 a frame, beside ever more draws. */
static void computes(struct uneven *u, int frame)
{
	GLuint buffer, shader;
	if (frame == 0) {
		glGenBuffers(1, &buffer);
		glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
		glBufferData(GL_SHADER_STORAGE_BUFFER, 256, NULL, GL_DYNAMIC_COPY);
		shader = glCreateShader(GL_COMPUTE_SHADER);
		glShaderSource(shader, 1, &compute, NULL);
		glCompileShader(shader);
		glGetIntegerv(GL_CURRENT_PROGRAM, &u->drawing);
		u->computing = glCreateProgram();
		glAttachShader(u->computing, shader);
		glLinkProgram(u->computing);
	}
	triangles(u, frame / 10 + 1);
	glUseProgram(u->computing);
	glDispatchCompute(1, 1, 1);
	glUseProgram((GLuint)u->drawing);
}

/* Every second frame is only an occlusion query, with the result that nothing is visible. */
static void conditional(struct uneven *u, int frame)
{
	glBeginQuery(GL_SAMPLES_PASSED, u->query);
	if (frame % 2 == 1)
		triangles(u, 1);
	glEndQuery(GL_SAMPLES_PASSED);
	long before = u->vertices;
	glBeginConditionalRender(u->query, GL_QUERY_WAIT);
	triangles(u, 2);
	glEndConditionalRender();
	if (frame % 2 == 0)
		u->vertices = before;
}

static void draw_all(struct uneven *u, void (*draw)(struct uneven *u, int frame))
{
	window_prepare(&u->window);
	glGenQueries(1, &u->query);
	for (int i = 0; i < u->frames; i++) {
		draw(u, i);
		window_swap(&u->window);
	}
}

/* Five frames in a thread, which releases the context in the sixth. */
static void *some_frames(void *argument)
{
	struct uneven *u = argument;

	window_bind(&u->window);
	for (int i = 0; i < 5; i++) {
		triangles(u, 1);
		window_swap(&u->window);
	}
	triangles(u, 3);
	eglMakeCurrent(u->window.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	return NULL;
}

static void migrate(struct uneven *u)
{
	window_prepare(&u->window);
	eglMakeCurrent(u->window.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	for (int i = 0; i < u->frames; i += 5) {
		pthread_t thread;

		EXPECT(pthread_create(&thread, NULL, some_frames, u) == 0);
		pthread_join(thread, NULL);
	}
}

/*
 * Contexts of three frames each, made and shown as toolkits do it: a swap of nothing, and back to
 * the context before, which also takes the place of each one that is destroyed.
 */
static void short_lives(struct uneven *u)
{
	window_prepare(&u->window);
	for (int i = 0; i < u->frames; i++) {
		struct window window = u->window;

		window_open(&window, WINDOW_CORE);
		window_bind(&window);
		window_swap(&window);
		window_bind(&u->window);
		window_prepare(&window);
		for (int k = 0; k < 3; k++) {
			triangles(u, i % 5 + k + 1);
			window_swap(&window);
		}
		window_bind(&u->window);
		eglDestroyContext(window.display, window.context);
		eglDestroySurface(window.display, window.surface);
	}
}

int main(int argc, char **argv)
{
	struct uneven u = {.frames = argc > 2 ? atoi(argv[2]) : 100};
	const char *how = argc > 1 ? argv[1] : "ramp";

	window_display(&u.window);
	window_open(&u.window, WINDOW_CORE);
	if (strcmp(how, "migrate") == 0)
		migrate(&u);
	else if (strcmp(how, "short") == 0)
		short_lives(&u);
	else if (strcmp(how, "turns") == 0)
		draw_all(&u, turns);
	else if (strcmp(how, "behind") == 0)
		draw_all(&u, behind);
	else if (strcmp(how, "conditional") == 0)
		draw_all(&u, conditional);
	else if (strcmp(how, "compute") == 0)
		draw_all(&u, computes);
	else if (strcmp(how, "rare") == 0)
		draw_all(&u, rare);
	else
		draw_all(&u, ramp);
	fprintf(stderr, "vertices %ld\n", u.vertices);
	return 0;
}
