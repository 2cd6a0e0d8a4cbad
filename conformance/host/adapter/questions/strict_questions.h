// What a driver is asked in the strict mode alone (op prefill): each type of query over other bytes
// than zeros, where members that it leaves out show, with less room than the answer takes, and of
// a link also of a GPU that is not in it.
//
// No system asks so: outputs are zeroed and large enough, and GPUs are there. Documents say
// neither, only which members are out, and that OutputDataSize is the size of the output.
#pragma once

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

/// The adapter runs, and the driver has QueryAdapterInfo.
void ask_strictly(const Adapter& adapter);

}  // namespace wddm::host
