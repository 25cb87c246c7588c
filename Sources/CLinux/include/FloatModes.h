#ifndef C_LINUX_FLOAT_MODES_H
#define C_LINUX_FLOAT_MODES_H

#include <stddef.h>
#include <stdint.h>

// The modes in which the CPU computes with floating-point numbers for the calling thread: the rounding mode,
// whether denormal numbers are replaced by 0, and which exceptions are reported. These functions take only a
// few nanoseconds, unlike the functions of <fenv.h>. On CPUs other than x86-64 and AArch64, they do nothing.

/// Returns the modes of the calling thread, without the exception flags.
static inline uint64_t float_modes(void) {
#if defined(__x86_64__)
  uint16_t control;
  __asm__ volatile("fnstcw %0" : "=m"(control));
  return (uint64_t)control << 32 | (__builtin_ia32_stmxcsr() & 0xFFC0u);
#elif defined(__aarch64__)
  uint64_t control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
#else
  return 0;
#endif
}

/// Sets the modes of the calling thread to a value that `float_modes` has returned. The exception flags stay
/// as they are.
static inline void set_float_modes(uint64_t modes) {
#if defined(__x86_64__)
  const uint16_t control = (uint16_t)(modes >> 32);
  __asm__ volatile("fldcw %0" : : "m"(control));
  __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & 0x3Fu) | (uint32_t)modes);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(modes));
#else
  (void)modes;
#endif
}

/// Returns a description of the first difference between two sets of modes, or NULL if they are equal.
static inline const char *float_modes_change(uint64_t before, uint64_t after) {
  const uint64_t changed = before ^ after;
  if (changed == 0) return NULL;
#if defined(__aarch64__)
  const uint64_t rounding = 0xC00000, denormals = 0x1080000;
#else
  const uint64_t rounding = (uint64_t)0x0C00 << 32 | 0x6000, denormals = 0x8040;
#endif
  if (changed & rounding) return "has changed the rounding mode";
  if (changed & denormals) return "has changed whether the CPU replaces denormal numbers by 0";
  return "has changed which exceptions of the CPU are reported";
}

#endif
