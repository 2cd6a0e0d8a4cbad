#include "ntddk.h"

#include "seh_bodies.h"
#define SUFFIX(name) name##_c
#include "seh_bodies.inc"
