#ifndef BLUR_RECORD_ERROR_H
#define BLUR_RECORD_ERROR_H

/* For the library itself; programs need blur.h alone. */

/* Keeps `text`, UTF-8, as what `blur_last_error` gives this thread. Long texts are cut. */
void blur_record_error(const char *text);

#endif
