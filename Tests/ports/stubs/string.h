// What the library takes of C's <string.h>, for a compiler without the system's headers.
#include <stddef.h>

void *memcpy(void *target, const void *source, size_t count);
size_t strlen(const char *text);
