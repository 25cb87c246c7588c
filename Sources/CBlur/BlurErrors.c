#include <string.h>

#include "BlurRecordError.h"
#include "blur.h"

static _Thread_local char last_error[512];

void blur_record_error(const char *text) {
  size_t length = strlen(text);
  if (length >= sizeof last_error) {
    length = sizeof last_error - 1;
    /* Do not cut a UTF-8 character in two. All of its bytes but the first begin with the bits 10. */
    while (length > 0 && (text[length] & 0xC0) == 0x80) length--;
  }
  memcpy(last_error, text, length);
  last_error[length] = 0;
}

const char *blur_last_error(void) { return last_error; }

const char *blur_error_text(int32_t error) {
  switch (error) {
    case BLUR_SUCCESS: return "success";
    case BLUR_ERROR_ARGUMENT: return "an argument is a null pointer or has an unknown value";
    case BLUR_ERROR_LAYOUT: return "the format does not allow this size, stride, channel order or alpha";
    case BLUR_ERROR_SIGMA: return "a sigma was not set, or is not a number from 0 to 1000";
    case BLUR_ERROR_REGION: return "the region is empty or reaches outside the image";
    case BLUR_ERROR_THREADS: return "the number of threads must be from 1 to 1024, or 0 for one thread";
    case BLUR_ERROR_KERNEL: return "there is no kernel with this name";
    case BLUR_ERROR_ACCURACY: return "no kernel promises such a small error";
    case BLUR_ERROR_UNSUPPORTED: return "the kernel does not support the request";
    case BLUR_ERROR_OVERLAP: return "source and destination overlap, and the kernel cannot work in place";
    case BLUR_ERROR_MEMORY: return "there is not enough memory";
    case BLUR_ERROR_FAILED: return "the kernel failed";
    default: return "this number is not an error code of the library";
  }
}
