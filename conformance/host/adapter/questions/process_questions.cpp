#include "conformance/host/adapter/questions/process_questions.h"

#include "conformance/host/adapter/questions/allocation_question.h"
#include "conformance/host/adapter/questions/escapes.h"
#include "conformance/host/adapter/questions/info_question.h"

namespace wddm::host {
namespace {

// What a process may ask: UMDRIVERPRIVATE above all, and what anybody may.
void ask_with(const Adapter& adapter, HANDLE process) {
  const InfoQuestion how = process != nullptr ? InfoQuestion::OfProcess : InfoQuestion::Plain;
  ask_once(adapter, {.type = DXGKQAITYPE_UMDRIVERPRIVATE, .how = how, .process = process},
           kLargeOutput, 0);
  ask_once(adapter, {.type = DXGKQAITYPE_DRIVERCAPS, .how = how, .process = process},
           sizeof(DXGK_DRIVERCAPS), 0);
}

}  // namespace

void ask_processes(const Adapter& adapter, const Objects& objects, const Processes& processes) {
  const HANDLE live = processes.live(kFirstProcess) ? processes.driver(kFirstProcess) : nullptr;
  if (may_call(DdiId::QueryAdapterInfo)) {
    ask_with(adapter, nullptr);
    if (live != nullptr) ask_with(adapter, live);
    ask_with(adapter, nullptr);
  }
  if (may_call(DdiId::Escape)) {
    send_escapes(adapter, objects, nullptr);
    if (live != nullptr) send_escapes(adapter, objects, live);
  }
  for (const AllocationId id : kScenarioAllocations) {
    const AllocationObject& allocation = objects.allocation(id);
    if (allocation.live) ask_description(adapter, id.value, allocation.driver);
  }
}

}  // namespace wddm::host
