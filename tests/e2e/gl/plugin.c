/*
 * A program that knows nothing of OpenGL and loads a module that does, for itself alone, as
 * toolkits load what draws: gl-plugin MODULE [ARGUMENT...].
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	int (*run)(int, char **);

	if (!module) {
		fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "usage: gl-plugin MODULE");
		return 2;
	}
	*(void **)&run = dlsym(module, "plugin_main");
	return run(argc - 1, argv + 1);
}
