// Private data of allocations, as the client makes them.
#pragma once

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/adapter/objects/standard_data.h"
#include "conformance/sdk/client.h"

namespace wddm::host {

/// False where there is no such allocation. `client` may be null.
[[nodiscard]] bool ask_client_data(const Adapter& adapter, const WddmClient* client, void* instance,
                                   const WddmAllocationRequest& request, PrivateData& out);

}  // namespace wddm::host
