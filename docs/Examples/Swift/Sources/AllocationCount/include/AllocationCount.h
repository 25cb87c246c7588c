#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

/* Returns the number of allocations by all threads of this program so far, or -1 if this C library does not
 * allow counting them. */
long allocation_count(void);

#endif
