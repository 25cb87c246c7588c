#include "Compiler.h"

#ifndef BUILD_FLAGS
#define BUILD_FLAGS ""
#endif

#define MARK "blurbench-stamp:"

/// Room for what Bench/stamp writes into a program's file: `REVISION|FLAGS`. No compiler may know what it
/// holds.
static volatile char stamp[1024] = MARK;

const char *built_with(void) { return __VERSION__; }
const char *built_for(void) { return BUILD_FLAGS; }

const char *build_stamp(void) {
  static char text[sizeof stamp - sizeof MARK + 1];
  // The last byte stays 0. All callers write the same bytes.
  for (unsigned i = 0; i + 1 < sizeof text; i++) text[i] = stamp[sizeof MARK - 1 + i];
  return text;
}
