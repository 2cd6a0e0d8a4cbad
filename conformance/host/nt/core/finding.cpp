// Findings, and the entry of services that makes most of them.
#include <array>
#include <cstdio>

#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/service.h"

namespace wddm::nt {
namespace {

constexpr std::array<const char*, 28> kNames{"None",
                                             "IrqlTooHigh",
                                             "IrqlTooLow",
                                             "IrqlChanged",
                                             "LockHeldAtReturn",
                                             "LockNotHeld",
                                             "LockRecursive",
                                             "WaitAtDispatch",
                                             "PagedCodeAtDispatch",
                                             "PoolTagMismatch",
                                             "PoolDoubleFree",
                                             "PoolBadPointer",
                                             "PoolOverrun",
                                             "PoolUseAfterFree",
                                             "PoolLeak",
                                             "ThreadAliveAtUnload",
                                             "ObjectLeak",
                                             "ReferenceUnderflow",
                                             "BadHandle",
                                             "BadParameter",
                                             "Assertion",
                                             "Breakpoint",
                                             "BugCheck",
                                             "MissingImport",
                                             "StackOverflow",
                                             "RegisterByPointer",
                                             "DmaOutsideMemory",
                                             "PagedPoolAtDispatch"};
static_assert(kNames.size() == kFindingKinds);

constexpr ServiceRange kRanges[] = {
#define WDDM_SERVICE(name, min, max) {#name, min, max},
#include "conformance/host/nt/core/services.def"
#include "conformance/host/nt/memory/services_memory.def"
#undef WDDM_SERVICE
    {"", 0, kHigh},
};

// A service that a function of the driver calls last returns past that function. Where nothing of
// the driver is left on the way out, all that is known is which call of ours it was.
std::string_view place_of(const void* code) {
  const std::string_view position = code_position(code);
  const bool is_ours = position.find("wddm::nt::call_foreign<") != std::string_view::npos ||
                       position.find("wddm::host::call_ddi") != std::string_view::npos;
  const std::string_view call = innermost_call();
  return is_ours && !call.empty() ? call : position;
}

}  // namespace

const char* name_of(FindingKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kNames.size() ? kNames[index] : "?";
}

void check_irql(const ServiceRange& range, const void* caller) {
  const std::uint8_t now = irql();
  if (now >= range.min && now <= range.max) return;
  char detail[96];
  const bool high = now > range.max;
  std::snprintf(detail, sizeof detail, "called at IRQL %u, allowed are %u to %u", now, range.min,
                range.max);
  report(high ? FindingKind::IrqlTooHigh : FindingKind::IrqlTooLow, range.name, detail, caller);
}

const ServiceRange& range_of(ServiceId id) {
  return kRanges[static_cast<std::size_t>(id)];
}

void report(FindingKind kind, std::string_view service, std::string_view detail, const void* code) {
  if (machine().observer == nullptr) return;
  machine().observer->finding(kind, service, detail, place_of(code));
}

Service::Service(ServiceId id, const void* caller) : id_(id), caller_(caller) {
  const ServiceRange& range = range_of(id);
  machine().last_service = range.name;
  deliver_if_any();
  check_irql(range, caller);
  if (machine().services_yield) yield_point();
}

Service::~Service() noexcept(false) {
  deliver_if_any();
}

void Service::report(FindingKind kind, std::string_view detail) const {
  nt::report(kind, name(), detail, caller_);
}

const char* last_service() {
  const char* name = machine().last_service;
  return name != nullptr ? name : "";
}

}  // namespace wddm::nt
