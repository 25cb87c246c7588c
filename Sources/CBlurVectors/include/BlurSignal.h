#ifndef BLUR_SIGNAL_H
#define BLUR_SIGNAL_H

// Threads that sleep until they get a signal. They are POSIX threads, for builds in Embedded Swift that
// define BLUR_PTHREADS. Other builds use Dispatch, which Embedded Swift does not have.

#include <stdbool.h>

/// A thread that sleeps until it gets a signal.
typedef struct blur_signal blur_signal;

/// Starts a thread that calls `work` after each signal. Several signals in a row may lead to only one call.
/// As long as `work` returns true, it is called again.
///
/// `release` is called when `context` is no longer needed. If no thread can be started, `release` is called
/// at once, and the result is null.
blur_signal *blur_signal_start(bool (*work)(void *context), void (*release)(void *context), void *context);

/// Sends a signal, which wakes the thread.
void blur_signal_send(blur_signal *signal);

/// Tells the thread to end as soon as its current work is done, and returns without waiting for the thread.
void blur_signal_end(blur_signal *signal);

#endif
