// Kernels that misbehave on purpose, each in the way that its name says. All of them copy the image first.

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "blur_plugin.h"

typedef struct plan {
  const char *name;
  blur_request request;
} plan;

static int is(const plan *p, const char *name) { return strcmp(p->name, name) == 0; }

static int32_t answer(int32_t status, const char *text, blur_message message) {
  snprintf(message.text, message.capacity, "%s", text);
  return status;
}

static int32_t make_plan(const void *context, const blur_request *request, void **made,
                         blur_message message) {
  plan *p = malloc(sizeof *p);
  p->name = context;
  p->request = *request;
  *made = p;
  if (is(p, "fails-to-plan")) return answer(BLUR_FAILED, "no plan today", message);
  if (is(p, "refuses")) return answer(BLUR_UNSUPPORTED, "images on Mondays", message);
  if (is(p, "hangs-in-plan")) for (;;) pause();
  if (is(p, "rounds-in-plan")) fesetround(FE_TOWARDZERO);
  return BLUR_OK;
}

static int32_t blur(void *made, const void *source, int64_t source_stride, void *destination,
                    int64_t destination_stride, blur_message message) {
  const plan *p = made;
  const int64_t height = p->request.height, width = p->request.width;
  char *to = destination;
  for (int64_t y = 0; y < height; y++)
    memcpy(to + y * destination_stride, (const char *)source + y * source_stride, (size_t)width);
  if (is(p, "crashes")) *(volatile int *)8 = 1;
  if (is(p, "aborts")) abort();
  if (is(p, "asserts")) {
    fputs("starting\nmine.c:12: width is even\n\n", stderr);
    abort();
  }
  if (is(p, "spoils-heap")) {
    // This is how glibc's malloc ends a process.
    fputs("double free or corruption (!prev)\n", stderr);
    abort();
  }
  if (is(p, "chatters")) fputs("chatter\n", stderr);
  if (is(p, "exits")) exit(0);
  if (is(p, "closes-files")) for (int file = 3; file < 64; file++) close(file);
  if (is(p, "hangs")) {
    if (getenv("TELL_WHEN_HANGING")) fputs("hanging\n", stderr);
    for (;;) pause();
  }
  if (is(p, "fails")) return answer(BLUR_FAILED, "out of\nluck\033[2J", message);
  if (is(p, "fails-silently")) return BLUR_FAILED;
  if (is(p, "fills-message")) {
    memset(message.text, 'x', message.capacity);
    return BLUR_FAILED;
  }
  if (is(p, "writes-after")) to[(height - 1) * destination_stride + width + 100] ^= 1;
  if (is(p, "reads-before")) to[0] = ((volatile const char *)source)[-3];
  if (is(p, "reads-after")) to[0] = ((volatile const char *)source)[(height - 1) * source_stride + width + 2];
  // The compiler would warn of a constant address.
  static volatile uintptr_t near_null = 1;
  if (is(p, "reads-null")) to[0] = *(volatile const char *)near_null;
#ifdef __SSE2__
  // An address that no memory can have causes the same fault as an unaligned address.
  if (is(p, "misaligned")) to[0] = *(volatile const char *)((uintptr_t)1 << 62);
#endif
  if (is(p, "writes-before")) to[-7] ^= 1;
  if (is(p, "writes-padding")) to[width] ^= 1;
  if (is(p, "writes-far")) to[1LL << 40] = 1;
  if (is(p, "writes-source")) ((char *)source)[5] ^= 1;
  if (is(p, "reads-garbage")) {
    // The kernel allocates a buffer and reads it without having written to it.
    volatile unsigned char *own = malloc(5000);
    to[0] = (char)own[4000];
    free((void *)own);
  }
  if (is(p, "wrong-later")) {
    // The result is right for a while, and then it is wrong in every second blur.
    static int blurs;
    if (blurs++ > 200 && blurs % 2) to[0] ^= 1;
  }
  if (is(p, "rounds-up")) fesetround(FE_UPWARD);
  if (is(p, "changes")) {
    // The counter has four bytes, so that the verified output does not come again by chance after thousands
    // of timed blurs.
    static uint32_t counter;
    for (int64_t x = 0; x < width && x < 4; x++) to[x] = (char)(counter >> 8 * x);
    counter++;
  }
  return BLUR_OK;
}

#ifndef LEVELS
#define LEVELS 1
#endif
#ifndef SHARE
#define SHARE 1e-3
#endif
#ifndef FORMATS
#define FORMATS 1
#endif

// The kernels support gray8, every edge mode and one thread. The kernel wrong-picture makes a promise that a
// copy does not keep.
#define KERNEL(NAME, PROMISE) \
  { NAME, "misbehaves on purpose", PROMISE, LEVELS, SHARE, FORMATS, 0x1F, 1, NAME, make_plan, blur, free }

static const blur_kernel kernels[] = {
    KERNEL("crashes", 0),       KERNEL("aborts", 0),         KERNEL("exits", 0),
    KERNEL("hangs", 0),         KERNEL("hangs-in-plan", 0),  KERNEL("fails", 0),
    KERNEL("fills-message", 0), KERNEL("fails-to-plan", 0),  KERNEL("refuses", 0),
    KERNEL("writes-after", 0),  KERNEL("writes-before", 0),  KERNEL("writes-padding", 0),
    KERNEL("writes-far", 0),    KERNEL("writes-source", 0),  KERNEL("wrong-picture", 1),
    KERNEL("changes", 0),       KERNEL("copies", 0),
    KERNEL("asserts", 0),       KERNEL("reads-after", 0),    KERNEL("wrong-later", 0),
    KERNEL("reads-before", 0),  KERNEL("reads-null", 0),     KERNEL("misaligned", 0),
    KERNEL("spoils-heap", 0),   KERNEL("chatters", 0),       KERNEL("fails-silently", 0),
    KERNEL("closes-files", 0),  KERNEL("reads-garbage", 1),  KERNEL("rounds-up", 0),
    KERNEL("rounds-in-plan", 0),
#ifdef TAKEN_NAME
    KERNEL(TAKEN_NAME, 0),
#endif
};

static const blur_plugin_table table = {
#ifdef WRONG_VERSION
    99,
#else
    BLUR_PLUGIN_VERSION,
#endif
    sizeof kernels / sizeof *kernels, kernels};

const blur_plugin_table *blur_plugin(void) {
#ifdef CRASH_ON_LOAD
  abort();
#endif
  return &table;
}
