#include "BlurStream.h"
