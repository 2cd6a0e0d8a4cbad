// For drivers only: the memory and string functions that wdm.h declares.
#include "../wdm.h"
