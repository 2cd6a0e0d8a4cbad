// Where this header was before; include "conformance/sdk/client.h".
#include "conformance/sdk/client.h"
