// Entry of a kernel service: every function that a driver can import starts with NT_SERVICE(name).
//
// One place remembers which service ran last, checks the caller's IRQL against the documented range
// (services.def and services_memory.def, from the "IRQL" rows of the function reference pages), and
// takes interrupts and DPCs that became deliverable. Internal to the kernel, but for report() and
// code_position().
#pragma once

#include <cstdint>
#include <string_view>

#include "conformance/host/nt/core/kernel.h"

namespace wddm::nt {

enum class ServiceId : std::uint16_t {
#define WDDM_SERVICE(name, min, max) k##name,
#include "conformance/host/nt/core/services.def"
#include "conformance/host/nt/memory/services_memory.def"
#undef WDDM_SERVICE
  kCount
};

[[nodiscard]] const ServiceRange& range_of(ServiceId id);

/// Remembers and checks the service at its entry, takes what is pending at entry and exit. Its
/// destructor does nothing that would be missed when an access fault jumps out of the service.
class Service {
 public:
  Service(ServiceId id, const void* caller);
  ~Service() noexcept(false);  // delivers what was held back, and the run may end there
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Reports `kind` for this service and its caller.
  void report(FindingKind kind, std::string_view detail) const;
  [[nodiscard]] const char* name() const { return range_of(id_).name; }
  /// Return address in the driver.
  [[nodiscard]] const void* caller() const { return caller_; }

 private:
  ServiceId id_;
  const void* caller_;
};

/// First statement of every exported service; declares `service`.
#define NT_SERVICE(name)                                            \
  const ::wddm::nt::Service service(::wddm::nt::ServiceId::k##name, \
                                    __builtin_extract_return_addr(__builtin_return_address(0)))

/// Reports a finding outside of a service. `code` is an address in the driver, or null.
void report(FindingKind kind, std::string_view service, std::string_view detail, const void* code);
/// "function+offset" of an address in a loaded image; "" for null, "?" if nothing is known.
[[nodiscard]] std::string_view code_position(const void* code);

/// A place where another fiber may get its turn (register accesses, interlocked operations, ...).
void yield_point();

}  // namespace wddm::nt
