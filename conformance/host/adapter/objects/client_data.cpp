#include "conformance/host/adapter/objects/client_data.h"

namespace wddm::host {
namespace {

using AnswersData = int (*)(void*, const WddmAllocationRequest*, void*, std::uint32_t);

// Asked for its size first.
bool ask(AnswersData answer, void* client, const WddmAllocationRequest& request,
         std::vector<std::uint8_t>& out) {
  const int bytes = answer(client, &request, nullptr, 0);
  if (bytes < 0) return false;
  out.resize(static_cast<std::size_t>(bytes));
  return answer(client, &request, out.data(), static_cast<std::uint32_t>(out.size())) == bytes;
}

}  // namespace

// Without a client: a surface as Dxgkrnl itself creates it, one page a row, of the first kind that
// the driver knows.
bool ask_client_data(const Adapter& adapter, const WddmClient* client, void* instance,
                     const WddmAllocationRequest& request, PrivateData& out) {
  if (client == nullptr) {
    const auto rows = static_cast<std::uint32_t>(pages_of(request.bytes));
    return ask_standard_data(adapter, {D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE, rows}, out) ||
           ask_standard_data(adapter, {D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE, rows}, out);
  }
  if (!ask(client->allocation_data, instance, request, out.allocation)) return false;
  return client->resource_data == nullptr ||
         ask(client->resource_data, instance, request, out.resource);
}

}  // namespace wddm::host
