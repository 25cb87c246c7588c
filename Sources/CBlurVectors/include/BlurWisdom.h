#ifndef BLUR_WISDOM_H
#define BLUR_WISDOM_H

/// Adds saved times from earlier measurements to the table at the address `times`. By default, this function
/// does nothing. If the module BlurWisdom is linked, its own definition of the function replaces the default.
void blur_wisdom_load(void *times);

#endif
