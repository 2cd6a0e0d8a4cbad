#include "ntddk.h"

#include "bodies.h"
#define SUFFIX(name) name##_c
#include "bodies.inc"
