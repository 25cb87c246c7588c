#ifndef C_LINUX_STREAMS_H
#define C_LINUX_STREAMS_H

#include <stdbool.h>
#include <stdio.h>

/// Writes all buffered output to standard output. Returns true if this write and all earlier writes to
/// standard output have succeeded. This function is in C because Swift 6 cannot use the global variable
/// `stdout`, which C code may change at any time.
static inline bool output_is_complete(void) { return fflush(stdout) == 0 && !ferror(stdout); }

#endif
