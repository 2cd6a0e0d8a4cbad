// SAL annotations under another name.
#include "sal.h"
