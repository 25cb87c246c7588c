#ifndef BLUR_RECORD_ERROR_H
#define BLUR_RECORD_ERROR_H

/* This header is for the library itself. Programs need only blur.h. */

/* Stores the UTF-8 string `text` for `blur_last_error` on this thread. At most 511 bytes are kept. */
void blur_record_error(const char *text);

#endif
