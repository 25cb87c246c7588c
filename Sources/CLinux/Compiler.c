#include "Compiler.h"

#ifndef BUILD_FLAGS
#define BUILD_FLAGS ""
#endif

#define MARK "blurbench-stamp:"

/// Space in the program's file for the text `REVISION|FLAGS`, which the script Bench/stamp writes. The array
/// is volatile because the script changes its contents after the program has been compiled.
static volatile char stamp[1024] = MARK;

const char *built_with(void) { return __VERSION__; }
const char *built_for(void) { return BUILD_FLAGS; }

const char *build_stamp(void) {
  static char text[sizeof stamp - sizeof MARK + 1];
  // The last byte of `text` stays 0. All callers write the same bytes, so concurrent calls do no harm.
  for (unsigned i = 0; i + 1 < sizeof text; i++) text[i] = stamp[sizeof MARK - 1 + i];
  return text;
}
