// Win32 base types.
#include "windef.h"
