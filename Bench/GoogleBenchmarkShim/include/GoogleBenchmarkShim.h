#ifndef GOOGLE_BENCHMARK_SHIM_H
#define GOOGLE_BENCHMARK_SHIM_H
#ifdef __cplusplus
extern "C" {
#endif
int gbs_placeholder(void);
#ifdef __cplusplus
}
#endif
#endif
