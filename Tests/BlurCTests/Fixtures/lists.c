/* Prints what the library has. The plug-in border's header beside it must not disturb. */

#include <stdio.h>

#include "blur.h"
#include "blur_plugin.h"

int main(void) {
  printf("%d\n", blur_version() == BLUR_VERSION);
  for (int32_t i = 0; blur_format_name(i); i++) printf("%s ", blur_format_name(i));
  printf("\n");
  for (int32_t i = 0; blur_kernel_name(i); i++) printf("%s ", blur_kernel_name(i));
  printf("\n");
  for (int32_t i = 0; blur_variable_method_name(i); i++) printf("%s ", blur_variable_method_name(i));
  printf("\n");
}
