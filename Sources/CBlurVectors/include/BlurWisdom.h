#ifndef BLUR_WISDOM_H
#define BLUR_WISDOM_H

/// Puts measured times into the table at that address. Does nothing, unless the module BlurWisdom is linked,
/// which defines it anew.
void blur_wisdom_load(void *times);

#endif
