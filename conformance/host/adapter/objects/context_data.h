// Private data of a context, as the client makes it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "conformance/host/interposer.h"
#include "conformance/sdk/client.h"
#include "reference/types.h"

namespace wddm::host {

struct ContextData {
  std::uint8_t bytes[256];
  UINT size = 0;
  bool refused = false;  ///< user mode makes no contexts on that node

  /// None from a client that has no such data.
  void ask(const WddmClient& client, void* instance, EngineId engine) {
    if (client.context_data == nullptr) return;
    const WddmContextRequest request{.size = sizeof(request), .node = engine.node.value};
    const int said = client.context_data(instance, &request, bytes, sizeof(bytes));
    refused = said < 0;
    size = static_cast<UINT>(std::clamp<int>(said, 0, sizeof(bytes)));
  }
};

}  // namespace wddm::host
