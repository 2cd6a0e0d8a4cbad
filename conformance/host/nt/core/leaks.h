// What is still there after DriverUnload. Internal to the kernel.
#pragma once

#include <cstdint>
#include <string>

namespace wddm::nt {

/// Reports `count` things of one type that nobody gave back, e.g. ("thread", "handle", 2). `from`:
/// from_askers() of those who asked for them, where that is known.
void leak(const char* type, const char* what, std::uint32_t count, const std::string& from = {});

void report_object_leaks();
/// Threads, set timers and queued DPCs.
void report_execution_leaks();

}  // namespace wddm::nt
