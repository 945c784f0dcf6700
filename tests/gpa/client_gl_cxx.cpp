/* The same client in C++: the headers and calls compile unchanged. */
#include "client_gl.c"
