#ifndef BLUR_STREAM_H
#define BLUR_STREAM_H

// The streams of a worker: its standard input and output.

#include <stddef.h>

#if __has_include(<unistd.h>)

#include <unistd.h>

#else

long read(int file, void *bytes, size_t count);
long write(int file, const void *bytes, size_t count);

#endif

/// Reads some bytes; returns how many, 0 at the end, below 0 for an error.
static inline long blur_stream_read(void *bytes, size_t count) { return read(0, bytes, count); }

/// Writes some bytes; returns how many, below 0 for an error.
static inline long blur_stream_write(const void *bytes, size_t count) { return write(1, bytes, count); }

#endif
