/* Blurs with every kernel and format. Prints 1 if planning allocated memory, which shows that the counter
   works, and then the number of allocations by the blurs themselves. */

#include <stdio.h>
#include <stdlib.h>

#include "AllocationCount.h"
#include "blur.h"

int main(void) {
  static float source[4 * 160 * 120], result[4 * 160 * 120];
  long planning = 0, blurring = 0;
  for (int32_t k = 0; blur_kernel_name(k); k++)
    for (int32_t format = 0; blur_format_name(format); format++) {
      blur_options options = {0};
      options.size = sizeof options;
      options.format = format;
      options.width = 160;
      options.height = 120;
      options.sigma_x = options.sigma_y = 4;
      options.kernel = blur_kernel_name(k);
      long before = allocation_count();
      blur_plan *plan = NULL;
      int32_t error = blur_plan_create(&options, &plan);
      if (error == BLUR_ERROR_UNSUPPORTED) continue;
      if (error) return puts(blur_last_error()), 1;
      planning += allocation_count() - before;
      blur_execute(plan, source, 0, result, 0);
      before = allocation_count();
      for (int i = 0; i < 3; i++)
        if (blur_execute(plan, source, 0, result, 0)) return puts(blur_last_error()), 1;
      long taken = allocation_count() - before;
      if (taken) fprintf(stderr, "%s %s: %ld\n", options.kernel, blur_format_name(format), taken);
      blurring += taken;
      blur_destroy(plan);
    }
  printf("%d %ld\n", planning > 0, blurring);
}
