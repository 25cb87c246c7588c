#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

/* How often any thread of this program has asked for memory so far; -1 where that is not counted. */
long allocation_count(void);

#endif
