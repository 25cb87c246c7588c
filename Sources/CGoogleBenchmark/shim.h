// The library is C++; GoogleBenchmarkShim includes its header and offers a C border.
