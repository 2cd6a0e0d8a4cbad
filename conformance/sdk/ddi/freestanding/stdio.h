// For drivers only: kernel code includes it out of habit and uses ntstrsafe.h. No stream exists.
#ifndef WDDM_DDI_FREESTANDING_STDIO_H
#define WDDM_DDI_FREESTANDING_STDIO_H
#include "stdarg.h"
#include "stddef.h"
#endif
