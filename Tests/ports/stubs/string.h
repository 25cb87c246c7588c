// The functions of C's <string.h> that the library uses, for a compiler that does not have Apple's headers.
#include <stddef.h>

void *memcpy(void *target, const void *source, size_t count);
size_t strlen(const char *text);
