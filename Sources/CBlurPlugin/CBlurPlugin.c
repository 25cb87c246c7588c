#include "blur_plugin.h"
