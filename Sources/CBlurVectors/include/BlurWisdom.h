#ifndef BLUR_WISDOM_H
#define BLUR_WISDOM_H

/// Puts measured times into the table at the given address. By default this does nothing. If the module
/// BlurWisdom is linked, its own definition replaces the default.
void blur_wisdom_load(void *times);

#endif
