// From here on DEFINE_GUID defines.
#ifndef INITGUID
#define INITGUID
#endif
#include "guiddef.h"
