#include "conformance/host/adapter/handle_references.h"

#include "conformance/host/adapter/objects/object_handles.h"
#include "conformance/host/boundary/session.h"

namespace wddm::host {
namespace {

// Kind in the upper bits, number in the lower, as for those of object_handles.h.
constexpr std::uintptr_t kReferenceHandles = 0x20000000;

enum Released : std::uint32_t { kAcquired, kReleased, kUnknown };

}  // namespace

DXGKARG_RELEASE_HANDLE HandleReferences::acquire(D3DKMT_HANDLE object) {
  const std::uintptr_t number = references_.size();
  references_.push_back({object, true});
  session().tap(ev::HandleReferenced{
      .reference = static_cast<std::uint32_t>(number), .released = kAcquired, .object = object});
  return reinterpret_cast<DXGKARG_RELEASE_HANDLE>(kReferenceHandles + (number + 1) * kHandleStep);
}

// None is what a call that found nothing has given.
void HandleReferences::release(DXGKARG_RELEASE_HANDLE handle) {
  if (handle == nullptr) return;
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(handle) - kReferenceHandles;
  const std::uintptr_t number = offset / kHandleStep - 1;
  const bool held =
      offset % kHandleStep == 0 && number < references_.size() && references_[number].held;
  session().tap(ev::HandleReferenced{.reference = held ? static_cast<std::uint32_t>(number) : kNone,
                                     .released = held ? kReleased : kUnknown,
                                     .object = held ? references_[number].object : 0});
  if (held) references_[number].held = false;
}

}  // namespace wddm::host
