#ifndef C_LINUX_AFFINITY_H
#define C_LINUX_AFFINITY_H

// Which CPUs the calling thread may run on. On other systems than Linux every function answers -ENOSYS.

/// Keeps the calling thread, and those that it starts from now on, on one CPU: number `index` of those that the
/// process could use when this was first called, modulo their number; a negative one allows all of them again.
/// Returns 0 or a negative errno.
int affinity_set(int index);

#endif
