// Where this header was before; include "conformance/sdk/device.h".
#include "conformance/sdk/device.h"
