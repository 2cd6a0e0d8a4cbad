// RES-012: a device from which memory was taken for others runs when all of it is back. The other
// end of RES-011.
//
// What was taken, and what has come back, is what the host says of it: ResidencyCounted.

#include <algorithm>
#include <utility>

#include "conformance/rules/destroyed_allocations.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::res_012 {
namespace {

class Taken {
 public:
  void on(std::uint32_t index, const ev::ResidencyCounted& counted) {
    if (counted.count != 0 && counted.resident == 0) {
      absent_[{counted.device, counted.allocation}] = index;
      lost_something_.insert(counted.device);
    } else {
      absent_.erase({counted.device, counted.allocation});
    }
  }
  void on(const ev::BufferBuilt& built) {
    if (built.required_only != 0) device_of_[built.render] = built.device;
  }
  // Others in the slot.
  void on(const ev::DeviceCreated& created) {
    std::erase_if(absent_, [&](const auto& one) { return one.first.first == created.device; });
    lost_something_.erase(created.device);
  }
  void forget(std::uint32_t allocation) {
    std::erase_if(absent_, [&](const auto& one) { return one.first.second == allocation; });
  }
  // What was stopped before has begun already.
  void on(std::uint32_t index, const ev::Submitted& packet, Judgement& judgement) const {
    if (packet.paging != 0 || packet.again != 0) return;
    const auto device = device_of_.find(packet.render);
    if (device == device_of_.end() || !lost_something_.contains(device->second)) return;
    judgement.reached(index);
    const auto missing = std::find_if(absent_.begin(), absent_.end(), [&](const auto& one) {
      return one.first.first == device->second;
    });
    if (missing == absent_.end()) return;
    judgement.fail(index,
                   "a context of device " + std::to_string(device->second) +
                       " runs when all that the device requires is resident",
                   "allocation " + std::to_string(missing->first.second) +
                       ", which it requires, was taken out and has not come back",
                   {missing->second});
  }

 private:
  using Required = std::pair<std::uint32_t, std::uint32_t>;  // device, allocation
  ScratchMap<Required, std::uint32_t> absent_;               // the event that says so
  ScratchSet<std::uint32_t> lost_something_;                 // devices
  ScratchMap<std::uint32_t, std::uint32_t> device_of_;       // by render
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Taken taken;
  for (const std::uint32_t index :
       trace.of_any<ev::ResidencyCounted, ev::BufferBuilt, ev::DeviceCreated, ev::AllocationCreated,
                    ev::DdiEntered, ev::Submitted>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::ResidencyCounted) taken.on(index, trace.at<ev::ResidencyCounted>(index));
    if (kind == EventKind::BufferBuilt) taken.on(trace.at<ev::BufferBuilt>(index));
    if (kind == EventKind::DeviceCreated) taken.on(trace.at<ev::DeviceCreated>(index));
    if (kind == EventKind::AllocationCreated) {
      taken.forget(trace.at<ev::AllocationCreated>(index).allocation);
    }
    if (kind == EventKind::DdiEntered) {
      const auto call = trace.at<ev::DdiEntered>(index);
      if (static_cast<DdiId>(call.ddi) == DdiId::CloseAllocation) taken.forget(call.object);
      if (!destroys_allocations(call.ddi)) continue;
      const DestroyedAllocations gone = destroyed_by(trace, index);
      for (std::uint32_t one = gone.first; one < gone.end; ++one) taken.forget(one);
    }
    if (kind == EventKind::Submitted) {
      taken.on(index, trace.at<ev::Submitted>(index), judgement);
    }
  }
}

const Rule kRule{
    .id = "RES-012",
    .title = "A device runs when all that it requires is resident",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "Before a context of a device is scheduled, every allocation that the device requires is "
        "resident: what was taken from it for others, while none of its work ran, comes back "
        "first, whatever the next buffer uses of it.",
    .sources = "residency-overview.md # Overview",
    .note =
        "Judged of devices from which a request of another one has taken something, and of "
        "buffers whose clients see to what they use. What a scenario itself evicts, as Windows "
        "would not, is not told of here: its packets are to fault (RES-002). That nothing is taken "
        "while a device runs is RES-011.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: two devices each require more than half of the memory, and take turns
ops:
- residency: {required_only: true}
- limit_memory: {local: 64, aperture: 8}
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, pages: 48, place: local}
- create_allocation: {allocation: 2, pages: 48, place: local, device: 1}
- require: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x11111111}
- idle
- require: {allocation: 2, device: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x22222222}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 4096, size: 8192, value: 0x33333333}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 4096, size: 8192, value: 0x44444444}
- idle
)",
    .control = R"(
about: what both require is there at a time
ops:
- residency: {required_only: true}
- create_device: {device: 1, process: 1}
- create_context: {context: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- create_allocation: {allocation: 2, pages: 4, place: local, device: 1}
- require: {allocation: 1}
- require: {allocation: 2, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x11111111}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 8192, value: 0x22222222}
- idle
)",
    .fault = {.about = "a device runs although memory was taken from it",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::RunWhileSuspended}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_012
