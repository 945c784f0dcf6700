/*
 * RTLD_NEXT of another library, with ours in front of dlsym: built three times, as the program, as
 * the library in the middle and as the one below it.
 */
#include <dlfcn.h>
#include <stdio.h>

__attribute__((visibility("default"))) int probe(void);

#if defined(BELOW)
__attribute__((visibility("default"))) int below(void);

int below(void)
{
	return 1;
}

int probe(void)
{
	return 2;
}
#elif defined(MIDDLE)
int probe(void)
{
	int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "probe");

	return next && next != probe ? 10 * next() : -1;
}
#else
int below(void);

int main(void)
{
	int failed = probe() != 20 || below() != 1;

	dlerror();
	/* There is no GL in this program. */
	failed |= (dlsym(RTLD_DEFAULT, "glXSwapBuffers") != NULL) << 1;
	failed |= (dlerror() == NULL) << 2;
	failed |= (dlsym(RTLD_DEFAULT, "eglNoSuchFunction") != NULL) << 3;
	failed |= (dlerror() == NULL) << 4;
	failed |= (dlsym(RTLD_DEFAULT, "puts") == NULL) << 5;
	failed |= (dlerror() != NULL) << 6;
	printf("%d\n", failed);
	return failed;
}
#endif
