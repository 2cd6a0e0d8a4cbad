// HRESULTs; the few that drivers return are in ntstatus.h.
#include "ntstatus.h"
