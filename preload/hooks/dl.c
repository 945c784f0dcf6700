/*
 * Hooks of look-ups: dlsym(), glXGetProcAddress() and eglGetProcAddress(). They return a hook only
 * if the real function exists.
 */
#include <dlfcn.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "guest/clock.h"
#include "guest/process.h"
#include "preload/real/real.h"

/* ANGLE translates EGL and OpenGL ES to the driver's GL, and only the driver's is measured. */
static bool is_angle(void *handle, char kind)
{
	const char *mark = kind == 'e' ? "eglStreamPostD3DTextureANGLE" : "EGL_GetProcAddress";
	if (real_dlsym()(handle, mark))
		return true;
	dlerror();
	return false;
}

static void *look_up_hooked(void *handle, const char *name, int id, const void *caller)
{
	if (handle == RTLD_DEFAULT) { /* finds our hook first, even if there is no real function */
		if (real_find(id, caller))
			return hook_address(id);
		real_dlsym()(RTLD_NEXT, name); /* for dlerror() */
		return NULL;
	}
	if (is_angle(handle, name[0]) || scope_hooks_behind(caller, name))
		return real_next_dlsym()(handle, name);
	void *found = real_next_dlsym()(handle, name);
	if (found == hook_address(id)) /* dlopen(NULL) */
		return real_find(id, caller) ? found : NULL;
	real_note(id, found);
	return found ? hook_address(id) : NULL;
}

/*
 * Names that are not hooked end in a tail call, so that libc sees the program as the caller and
 * RTLD_NEXT keeps its meaning; this file is always compiled with optimisation for that. A caller
 * with RTLD_NEXT gets the next function, ours or not. So does a library behind us that exports the
 * name itself, because its function is called after our hook.
 */
void *dlsym(void *restrict handle, const char *restrict name)
{
	void *(*real)(void *, const char *) = real_next_dlsym();

	int id = handle != RTLD_NEXT ? hook_find(name) : -1;

	if (id >= 0 && (guest_active() || guest_may_reopen()))
		return look_up_hooked(handle, name, id, __builtin_return_address(0));
#if defined(__clang__)
	__attribute__((musttail)) return real(handle, name);
#else
	return real(handle, name);
#endif
}

/*
 * Whether the system call installs a seccomp filter, which may kill the process for our system
 * calls. The hooks end in a tail call, too, because some system calls return twice.
 */
static bool seals(long number, long first)
{
	return (number == SYS_seccomp && first <= SECCOMP_SET_MODE_FILTER) ||
	       (number == SYS_prctl && first == PR_SET_SECCOMP);
}

long syscall(long number, long a, long b, long c, long d, long e, long f)
{
	syscall_fn *real = real_syscall();
	if (seals(number, a))
		guest_clock_seal();
#if defined(__clang__)
	__attribute__((musttail)) return real(number, a, b, c, d, e, f);
#else
	return real(number, a, b, c, d, e, f);
#endif
}

int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	if (option == PR_SET_SECCOMP)
		guest_clock_seal();
	return real_prctl()(option, a, b, c, d);
}

static void *hooked_answer(const char *name, void *found)
{
	bool ours = guest_active() || guest_may_reopen();
	int id = found && ours ? hook_find(name) : -1;
	if (id < 0)
		return found;
	real_note(id, found);
	return hook_address(id);
}

void (*glXGetProcAddress(const GLubyte *name))(void)
{
	HOOK(glXGetProcAddress);
	if (!real || !name)
		return NULL;
	return (void (*)(void))hooked_answer((const char *)name, (void *)real(name));
}

void (*glXGetProcAddressARB(const GLubyte *name))(void)
{
	HOOK(glXGetProcAddressARB);
	if (!real || !name)
		return NULL;
	return (void (*)(void))hooked_answer((const char *)name, (void *)real(name));
}

void (*eglGetProcAddress(const char *name))(void)
{
	HOOK(eglGetProcAddress);
	if (!real || !name)
		return NULL;
	return (void (*)(void))hooked_answer(name, (void *)real(name));
}
