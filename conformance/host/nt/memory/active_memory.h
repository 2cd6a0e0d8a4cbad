// Memory that the kernel still refers to. Internal to the kernel.
#pragma once

#include <cstddef>
#include <string_view>

#include "conformance/host/nt/core/service.h"

namespace wddm::nt {

/// Called when a driver gives `bytes` bytes at `begin` back: set timers, queued DPCs and work
/// items, held locks and objects somebody waits for in that range are findings of `service` at
/// `code`, and are taken out of the kernel's lists, so that the damage stays the driver's.
void retire_memory(const void* begin, std::size_t bytes, std::string_view service,
                   const void* code);
/// The same for static variables of a driver that is unloaded.
void retire_variables(const void* begin, std::size_t bytes);
/// The same for an object that `service` is about to initialise: a list would go on through what it
/// overwrites.
void retire_object(const Service& service, const void* object, std::size_t bytes);
template <class Object>
void retire_object(const Service& service, const Object* object) {
  retire_object(service, object, sizeof(Object));
}
/// Takes queued WORK_QUEUE_ITEMs of the range out; returns how many.
std::size_t retire_work_items(const void* begin, std::size_t bytes);

}  // namespace wddm::nt
