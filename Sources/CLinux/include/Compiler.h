#ifndef C_LINUX_COMPILER_H
#define C_LINUX_COMPILER_H

/// Returns the version of the C compiler that compiled this program.
const char *built_with(void);

/// Returns the instruction sets for which parts of the program are compiled, with the compiler options for
/// each.
const char *built_for(void);

/// Returns the text that the script Bench/stamp has written into this program's file, in the form
/// `REVISION|OPTIONS OF THE BUILD`. The text is empty if the script has not been used.
const char *build_stamp(void);

#endif
