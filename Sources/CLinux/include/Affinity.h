#ifndef C_LINUX_AFFINITY_H
#define C_LINUX_AFFINITY_H

// These functions set the CPUs that a thread may run on. On systems other than Linux, every function returns
// -ENOSYS.

/// Pins the calling thread to one of the CPUs that the process was allowed to use when this function was
/// first called. These CPUs are numbered from 0, and `index` is taken modulo their number. With a negative
/// index, the thread may run on all these CPUs again.
///
/// All other threads of the process are allowed to use all of these CPUs, because a thread that a pinned
/// thread started would otherwise stay on the same CPU. Returns 0 or a negative errno.
int affinity_set(int index);

/// Pins all threads of the process to one CPU, or lets all threads run on all CPUs again. `index` means the
/// same as for `affinity_set`. Threads that a pinned thread starts later stay on the same CPU, until this
/// function is called again. Only one thread at a time may call this function. Returns 0 or a negative errno.
int affinity_set_all(int index);

/// Returns the number of CPUs that a thread may use, or a negative errno. `thread` is a thread ID, or 0 for
/// the calling thread.
int affinity_count(int thread);

/// Returns the index of the CPU on which the calling thread is running, or a negative errno.
int affinity_current(void);

#endif
