#ifndef BLUR_STREAM_H
#define BLUR_STREAM_H

// Functions with which the program blur-worker reads its standard input and writes its standard output.

#include <stddef.h>

#if __has_include(<unistd.h>)

#include <unistd.h>

#else

long read(int file, void *bytes, size_t count);
long write(int file, const void *bytes, size_t count);

#endif

/// Reads up to `count` bytes from standard input.
///
/// Returns the number of bytes read, 0 at the end of the input, or a negative number on error.
static inline long blur_stream_read(void *bytes, size_t count) { return read(0, bytes, count); }

/// Writes up to `count` bytes to standard output.
///
/// Returns the number of bytes written, or a negative number on error.
static inline long blur_stream_write(const void *bytes, size_t count) { return write(1, bytes, count); }

#endif
