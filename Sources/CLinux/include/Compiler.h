#ifndef C_LINUX_COMPILER_H
#define C_LINUX_COMPILER_H

/// What the C compiler says of itself.
const char *built_with(void);

#endif
