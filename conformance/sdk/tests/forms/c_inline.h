#pragma once
#include <ntddk.h>
/* The Microsoft compiler lets every file hold a copy. */
__inline ULONG Twice(ULONG Value) { return 2 * Value; }
ULONG TwiceElsewhere(ULONG Value);
