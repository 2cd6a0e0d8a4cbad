// For drivers only: they are built without the host's C library.
#ifndef WDDM_DDI_FREESTANDING_STDDEF_H
#define WDDM_DDI_FREESTANDING_STDDEF_H
#include "../ntdef.h"
#endif
