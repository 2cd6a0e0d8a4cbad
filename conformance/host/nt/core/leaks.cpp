// report_leaks(): what the driver left behind.
#include "conformance/host/nt/core/leaks.h"

#include <cstdio>
#include <utility>

#include "conformance/host/nt/core/machine.h"
#include "conformance/host/nt/memory/memory_services.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/core/threads.h"

namespace wddm::nt {

[[gnu::weak]] void report_memory_leaks();
[[gnu::weak]] bool validate_memory_services();

void leak(const char* type, const char* what, std::uint32_t count, const std::string& from) {
  char detail[96];
  std::snprintf(detail, sizeof detail, "%u %s %s%s left", count, type, what, count == 1 ? "" : "s");
  report(FindingKind::ObjectLeak, "", detail + from, nullptr);
}

namespace {

std::uint32_t timers_of_driver() {
  Machine& m = machine();
  std::uint32_t timers = 0;
  for (Link* at = m.timers.next; at != &m.timers; at = at->next)
    timers += WDDM_CONTAINER(Timer, link, at)->from_driver;
  return timers;
}

std::uint32_t dpcs_of_driver() {
  std::uint32_t dpcs = 0;
  for (Cpu& cpu : machine().cpus)
    for (Link* at = cpu.dpcs.next; at != &cpu.dpcs; at = at->next)
      dpcs += WDDM_CONTAINER(DpcBlock, link, at)->name == nullptr;
  return dpcs;
}

}  // namespace

void report_unfinished() {
  Machine& m = machine();
  for (Link* at = m.all_fibers.next; at != &m.all_fibers; at = at->next) {
    Fiber& fiber = *WDDM_CONTAINER(Fiber, all, at);
    if (fiber.kind != FiberKind::Driver || fiber.state == FiberState::Ended) continue;
    if (std::exchange(fiber.told_alive, true)) continue;
    char detail[96];
    std::snprintf(detail, sizeof detail, "thread %u has not ended", fiber.ordinal);
    report(FindingKind::ThreadAliveAtUnload, "", detail, reinterpret_cast<const void*>(fiber.body));
  }
  if (const std::uint32_t dpcs = dpcs_of_driver()) leak("queued", "DPC", dpcs);
  if (const std::uint32_t items = work_items_at_work()) leak("queued", "work item", items);
}

void report_execution_leaks() {
  report_unfinished();
  if (const std::uint32_t timers = timers_of_driver()) leak("set", "timer", timers);
}

bool driver_is_at_work() {
  return driver_threads_alive() + work_items_at_work() + timers_of_driver() + dpcs_of_driver() != 0;
}

void report_leaks() {
  report_execution_leaks();
  report_work_item_leaks();
  report_resource_leaks();
  report_irp_leaks();
  report_object_leaks();
  if (report_memory_leaks != nullptr) report_memory_leaks();
}

bool validate() {
  constexpr unsigned kLimit = 1 << 20;
  const Machine& m = machine();
  bool good = list_consistent(m.run_queue, kLimit) && list_consistent(m.settle_queue, kLimit) &&
              list_consistent(m.all_fibers, kLimit) && list_consistent(m.timers, kLimit);
  for (const Cpu& cpu : m.cpus) good = good && list_consistent(cpu.dpcs, kLimit);
  return good && (validate_memory_services == nullptr || validate_memory_services());
}

}  // namespace wddm::nt
