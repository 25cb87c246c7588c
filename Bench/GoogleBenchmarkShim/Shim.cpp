#include "GoogleBenchmarkShim.h"
int gbs_placeholder(void) { return 0; }
