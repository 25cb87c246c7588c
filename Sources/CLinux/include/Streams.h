#ifndef C_LINUX_STREAMS_H
#define C_LINUX_STREAMS_H

#include <stdbool.h>
#include <stdio.h>

/// Writes what is buffered for standard output, and returns whether all output so far could be written.
/// Swift 6 cannot use the variable `stdout`, because C may change it at any time.
static inline bool output_is_complete(void) { return fflush(stdout) == 0 && !ferror(stdout); }

#endif
