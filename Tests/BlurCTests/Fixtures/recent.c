/* Makes plans with the same options again and again. Prints how many mistakes it has found: a plan that was
   kept must not be made again, two plans that exist at the same time must differ, and after
   `blur_clear_plans` a plan must be made again. */

#include <stdio.h>
#include <string.h>

#include "AllocationCount.h"
#include "blur.h"

static blur_options options = {
    .size = sizeof(blur_options), .width = 64, .height = 48, .sigma_x = 6, .sigma_y = 6};
static unsigned char source[64 * 48], expected[64 * 48], result[64 * 48];

/* Makes a plan, and adds the number of allocations to `allocations`. */
static blur_plan *make(long *allocations) {
  blur_plan *plan = NULL;
  long before = allocation_count();
  if (blur_plan_create(&options, &plan)) puts(blur_last_error());
  *allocations += allocation_count() - before;
  return plan;
}

/* Returns whether the plan gives another result than the first plan. */
static int differs(blur_plan *plan) {
  memset(result, 0, sizeof result);
  return blur_execute(plan, source, 0, result, 0) || memcmp(result, expected, sizeof result);
}

int main(void) {
  int mistakes = 0;
  long fresh = 0, kept = 0, cleared = 0;
  for (int i = 0; i < 64 * 48; i++) source[i] = (unsigned char)(i * i * 37);
  blur_destroy(make(&fresh));
  blur_clear_plans();
  fresh = 0;
  blur_plan *first = make(&fresh);
  mistakes += blur_execute(first, source, 0, expected, 0) != 0;

  long other = 0;
  blur_plan *second = make(&other);
  mistakes += other < fresh / 2;
  mistakes += differs(second);
  blur_destroy(first);
  mistakes += differs(second);
  blur_destroy(second);

  for (int i = 0; i < 10; i++) {
    blur_plan *plan = make(&kept);
    mistakes += differs(plan);
    blur_destroy(plan);
  }
  mistakes += kept / 10 > fresh / 4;

  blur_clear_plans();
  blur_plan *last = make(&cleared);
  mistakes += cleared < fresh / 2;
  mistakes += differs(last);
  blur_destroy(last);
  printf("%d mistakes\n", mistakes);
}
