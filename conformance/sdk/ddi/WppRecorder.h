// The in-flight recorder of WPP tracing.
#include "wpp/wpp_stub.h"
