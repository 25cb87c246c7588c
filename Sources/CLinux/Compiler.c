#include "Compiler.h"

const char *built_with(void) { return __VERSION__; }
