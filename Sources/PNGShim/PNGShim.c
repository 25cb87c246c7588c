#include "PNGShim.h"
int png_shim_placeholder(void) { return 0; }
