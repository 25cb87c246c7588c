#ifndef C_LINUX_COMPILER_H
#define C_LINUX_COMPILER_H

/// What the C compiler says of itself.
const char *built_with(void);

/// The instruction sets that parts of the program are compiled for, with the options for each.
const char *built_for(void);

/// What Bench/stamp wrote into this program's file, `REVISION|OPTIONS OF THE BUILD`; empty where it wrote
/// nothing.
const char *build_stamp(void);

#endif
