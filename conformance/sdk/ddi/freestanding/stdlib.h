// For drivers only: no allocation, no process; sizes and pointers are what kernel code wants of it.
#ifndef WDDM_DDI_FREESTANDING_STDLIB_H
#define WDDM_DDI_FREESTANDING_STDLIB_H
#include "stddef.h"
#endif
