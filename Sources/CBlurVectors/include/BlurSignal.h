#ifndef BLUR_SIGNAL_H
#define BLUR_SIGNAL_H

// Threads by pthread, for builds in Embedded Swift that define BLUR_PTHREADS: there is no Dispatch.

#include <stdbool.h>

/// A thread that sleeps until it gets a signal.
typedef struct blur_signal blur_signal;

/// Starts a thread that calls `work` after each signal, several of which may become one, and again where it
/// returns true. `release` ends the use of `context`, also where no thread can be had: then the result is
/// null.
blur_signal *blur_signal_start(bool (*work)(void *context), void (*release)(void *context), void *context);

/// Wakes the thread.
void blur_signal_send(blur_signal *signal);

/// Ends the thread when its work is done, and does not wait for that.
void blur_signal_end(blur_signal *signal);

#endif
