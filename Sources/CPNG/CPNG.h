#if !__has_include(<png.h>)
#error "libpng is missing: apt-get install libpng-dev (Debian, Ubuntu) or brew install libpng (macOS)"
#endif
#include <png.h>
