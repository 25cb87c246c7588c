/* Prints the formats, kernels and methods of the library. Also includes the plug-in header, to check that the
   two headers can be used together. */

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
