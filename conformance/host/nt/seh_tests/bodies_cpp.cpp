#include "ntddk.h"

#include "bodies.h"
#define SUFFIX(name) name##_cpp
#include "bodies.inc"
