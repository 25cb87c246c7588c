#ifndef BLUR_RECORD_ERROR_H
#define BLUR_RECORD_ERROR_H

/* This header is for the library itself. Programs need only blur.h. */

/* Keeps `text`, which is UTF-8, for `blur_last_error` on this thread. A long text is cut. */
void blur_record_error(const char *text);

#endif
