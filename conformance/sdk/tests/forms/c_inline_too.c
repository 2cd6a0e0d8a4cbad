#include "c_inline.h"

ULONG TwiceElsewhere(ULONG Value) { return Twice(Value); }
