// This header is empty because Google Benchmark is a C++ library. GoogleBenchmarkShim includes the C++ header
// and offers a C interface.
