#ifndef C_LINUX_AFFINITY_H
#define C_LINUX_AFFINITY_H

// Which CPUs threads may run on. On other systems than Linux every function answers -ENOSYS.

/// Keeps the calling thread on one CPU: number `index` of those that the process could use when this was
/// first called, modulo their number; a negative one allows all of them again.
///
/// All other threads of the process may use all of them from then on, for a thread that was started by one
/// that is kept on a CPU is kept there too. Returns 0 or a negative errno.
int affinity_set(int index);

/// How many CPUs the thread of this number may use, 0 for the calling one; or a negative errno.
int affinity_count(int thread);

/// The CPU that the calling thread runs on now, or a negative errno.
int affinity_current(void);

#endif
