#include "ntddk.h"

#include "seh_bodies.h"
#define SUFFIX(name) name##_cpp
#include "seh_bodies.inc"
