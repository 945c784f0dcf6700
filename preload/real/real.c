/* Finds the real functions: by dlsym(), in the next library, or from the program's look-ups. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "guest/process.h"
#include "preload/real/real.h"

static void *real_addresses[HOOK_COUNT];     /* atomic */
static void *reported_addresses[HOOK_COUNT]; /* atomic; from the program's look-ups */
static void *beneath_addresses[HOOK_COUNT];  /* atomic; the driver's */
static void *libc_dlsym;		     /* atomic */
static bool egl_in_use;			     /* atomic */

static const struct {
	const char *name;
	void *address;
} hooks[HOOK_COUNT] = {
#define HOOK_ROW(name) {#name, (void *)name},
    HOOK_LIST(HOOK_ROW)
#undef HOOK_ROW
#define DRAW(name, parameters, arguments) {#name, (void *)name},
#include "preload/real/draws.def"
#undef DRAW
#define READ(name, parameters, arguments)	{#name, (void *)name},
#define MAP(name, parameters, arguments, reads) {#name, (void *)name},
#include "preload/real/reads.def"
#undef READ
#undef MAP
};

int hook_find(const char *name)
{
	if (name[0] != 'g' && name[0] != 'e' && name[0] != 'X')
		return -1;
	for (int i = 0; i < HOOK_COUNT; i++) {
		if (strcmp(name, hooks[i].name) == 0)
			return i;
	}
	return -1;
}

void *hook_address(int id)
{
	return hooks[id].address;
}

void *(*real_dlsym(void))(void *, const char *)
{
	/* Symbol versions of dlsym(): today's, and the first one of each CPU family. */
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17",
					       "GLIBC_2.27", "GLIBC_2.0"};
	void *found = __atomic_load_n(&libc_dlsym, __ATOMIC_ACQUIRE);

	if (!found)
		found = scope_libc("dlsym");
	for (size_t i = 0; !found && i < sizeof(versions) / sizeof(versions[0]); i++)
		found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	__atomic_store_n(&libc_dlsym, found, __ATOMIC_RELEASE);
	return (void *(*)(void *, const char *))found;
}

/* A function of libc that a library behind us may hook: the next one, else libc's own. */
static void *libc_function(void **place, const char *name)
{
	void *found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
	if (!found) {
		found = real_dlsym()(RTLD_NEXT, name);
		if (!found)
			found = scope_libc(name);
		__atomic_store_n(place, found, __ATOMIC_RELEASE);
	}
	return found;
}

void *(*real_next_dlsym(void))(void *, const char *)
{
	static void *place;
	return (void *(*)(void *, const char *))libc_function(&place, "dlsym");
}

syscall_fn *real_syscall(void)
{
	static void *place;
	return (syscall_fn *)libc_function(&place, "syscall");
}

prctl_fn *real_prctl(void)
{
	static void *place;
	return (prctl_fn *)libc_function(&place, "prctl");
}

static bool is_ours(const void *address)
{
	for (int i = 0; i < HOOK_COUNT; i++) {
		if (hooks[i].address == address)
			return true;
	}
	return false;
}

static void real_remember(void **place, void *address)
{
	void *none = NULL;
	if (!address || is_ours(address))
		return;
	if (__atomic_compare_exchange_n(place, &none, address, false, __ATOMIC_RELEASE,
					__ATOMIC_RELAXED))
		scope_pin(address);
}

void real_note(int id, void *address)
{
	real_remember(&reported_addresses[id], address);
}

void real_set_egl(bool egl)
{
	__atomic_store_n(&egl_in_use, egl, __ATOMIC_RELAXED);
}

/* Clears dlerror(), so that the program does not get our failed look-up. */
static void *next_in_line(const char *name)
{
	void *found = real_dlsym()(RTLD_NEXT, name);
	if (!found)
		dlerror();
	return found;
}

static bool is_gl(const char *name)
{
	return strncmp(name, "gl", 2) == 0 && name[2] != 'X';
}

/*
 * In this order: the result of the program's look-up, unless it is a hook before us, which would
 * call us again; the function that the linker would bind without us; the one that only the caller's
 * module is linked with; the one of any loaded GL.
 */
static void look_everywhere(int id, const void *caller)
{
	const char *name = hooks[id].name;
	void **place = &real_addresses[id];
	void *reported = __atomic_load_n(&reported_addresses[id], __ATOMIC_ACQUIRE);
	if (reported && scope_is_behind(reported))
		real_remember(place, reported);
	if (!*place)
		real_remember(place, next_in_line(name));
	if (!*place && caller)
		real_remember(place, scope_of_caller(caller, name));
	if (!*place)
		real_remember(place, scope_driver(name));
	if (!*place)
		real_remember(place, reported);
	if (!*place && is_gl(name))
		real_remember(
		    place, real_gl_function(__atomic_load_n(&egl_in_use, __ATOMIC_RELAXED), name));
}

void *real_find(int id, const void *caller)
{
	void *found = __atomic_load_n(&real_addresses[id], __ATOMIC_ACQUIRE);
	if (found)
		return found;
	look_everywhere(id, caller);
	return __atomic_load_n(&real_addresses[id], __ATOMIC_ACQUIRE);
}

void *real_beneath(int id, const void *caller)
{
	void *found = __atomic_load_n(&beneath_addresses[id], __ATOMIC_ACQUIRE);
	if (found)
		return found;
	real_remember(&beneath_addresses[id], scope_driver(hooks[id].name));
	found = __atomic_load_n(&beneath_addresses[id], __ATOMIC_ACQUIRE);
	return found ? found : real_find(id, caller);
}

/* Hooks that this thread is inside of, as bits. */
static __thread uint64_t inside[(HOOK_COUNT + 63) / 64] __attribute__((tls_model("initial-exec")));

struct hook_call hook_enter(int id, const void *caller)
{
	uint64_t bit = UINT64_C(1) << (id % 64);
	bool nested = (inside[id / 64] & bit) != 0;
	inside[id / 64] |= bit;
	if (nested)
		guest_bypass(true);
	return (struct hook_call){id, nested,
				  nested ? real_beneath(id, caller) : real_find(id, caller)};
}

void hook_leave(const struct hook_call *call)
{
	if (call->nested)
		guest_bypass(false);
	else
		inside[call->id / 64] &= ~(UINT64_C(1) << (call->id % 64));
}

void *real_gl_function(bool egl, const char *name)
{
	__typeof__(&glXGetProcAddressARB) glx_lookup = BENEATH(glXGetProcAddressARB);
	__typeof__(&eglGetProcAddress) egl_lookup = BENEATH(eglGetProcAddress);
	void *found = NULL;

	if (!glx_lookup)
		glx_lookup = BENEATH(glXGetProcAddress);
	if (egl && egl_lookup)
		found = (void *)egl_lookup(name);
	if (!egl && glx_lookup)
		found = (void *)glx_lookup((const GLubyte *)name);
	if (!found) /* before EGL 1.5, eglGetProcAddress() returns extensions only */
		found = next_in_line(name);
	return found;
}
