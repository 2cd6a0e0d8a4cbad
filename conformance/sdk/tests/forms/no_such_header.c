#include "nowhere\nothing.h"
