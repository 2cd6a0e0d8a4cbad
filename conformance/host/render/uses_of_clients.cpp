// What a client says that a buffer uses, and what that means for its residency.
#include "conformance/host/boundary/session.h"
#include "conformance/host/render/render_call.h"
#include "conformance/host/vidmm/client_residency.h"

namespace wddm::host {
namespace {

// What user mode lists, but for the mark at the end.
std::vector<ClientResidency::Use> used_by(const UserInput& input) {
  std::vector<ClientResidency::Use> uses;
  for (const WddmListAllocation& entry : input.list) {
    if (entry.allocation >= input.allocations.size()) continue;
    const AllocationId id = input.allocations[entry.allocation];
    if (id != kMarkerAllocation) uses.push_back({id, entry.write != 0});
  }
  return uses;
}

}  // namespace

bool client_may_use(const RenderRequest& request, const UserInput& input,
                    ClientResidency& clients) {
  if (clients.before_submission(request.context, used_by(input))) return true;
  session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(OpKind::Render)},
                     "its client has evicted what it uses, or has never made it resident");
  return false;
}

void tell_what_was_built(const RenderRequest& request, const UserInput& input, DeviceId device,
                         bool required_only) {
  std::vector<AllocationRecord> records;
  for (const ClientResidency::Use& use : used_by(input)) {
    records.push_back({.allocation = use.allocation.value, .write = use.write ? 1u : 0u});
  }
  session().tap(ev::BufferBuilt{.render = request.ordinal,
                                .context = request.context.value,
                                .device = device.value,
                                .count = static_cast<std::uint32_t>(records.size()),
                                .required_only = required_only},
                records.data(), records.size() * sizeof(AllocationRecord));
}

}  // namespace wddm::host
