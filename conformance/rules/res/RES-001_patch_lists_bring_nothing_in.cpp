// RES-001: from WDDM 2.0 on a patch list brings nothing in; what it names must be required.
//
// Required is what the answers to MakeResident and Evict come to, device by device. Left out: what
// the host writes to itself, to know which packets have run. An entry whose handle a driver makes
// NULL during Render names nothing in that pass. Which pass was checked no event says: where a
// buffer goes on, it may have been any of them.

#include <string>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::res_001 {
namespace {

constexpr std::uint32_t kOfHost = 256;     // the allocation of the host's own
constexpr std::uint32_t kNotRequired = 3;  // DeviceInError::cause

class Lists {
 public:
  Lists(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void follow(const ev::ResidencyCounted& counted) {
    counts_[{counted.device, counted.allocation}] = counted.count;
  }
  // Another one in the slot.
  void follow(const ev::AllocationCreated& created) {
    for (auto& [key, count] : counts_) {
      if (key.second == created.allocation) count = 0;
    }
  }
  void follow(std::uint32_t index, const ev::RenderCalled& called) {
    lists_[called.render] = index;
    if (called.pass == 0) altered_.erase(called.render);
  }
  void follow(std::uint32_t index, const ev::ListAltered& altered) {
    altered_[altered.render].push_back(index);
  }
  void follow(const ev::DdiEntered& call) {
    if (call.ddi == static_cast<std::uint32_t>(DdiId::CreateDevice)) in_error_.erase(call.object);
  }
  void follow(std::uint32_t index, const ev::SubmissionChecked& checked) {
    judgement_.reached(index);
    device_of_[checked.context] = checked.device;
    const std::uint32_t missing = missing_of(checked);
    if (missing == kNone) {
      if (checked.rejected == 0) return;
      return judgement_.fail(index, "a submission whose allocations are all required", "rejected");
    }
    rejected_[checked.render] = index;
    if (checked.rejected != 0) {
      due_[checked.device] = index;
      return;
    }
    judgement_.fail(
        index, "a rejected submission and the device in error",
        "the buffer goes on, though allocation " + std::to_string(missing) + " is not required");
  }
  void follow(const ev::DeviceInError& error) {
    if (error.cause == kNotRequired) due_.erase(error.device);
    in_error_[error.device] = error.cause;
  }
  void follow(std::uint32_t index, const ev::Submitted& submitted) {
    if (submitted.paging != 0) return;
    const auto rejected = rejected_.find(submitted.render);
    const auto device = device_of_.find(submitted.context);
    if (rejected != rejected_.end()) {
      judgement_.fail(index, "no SubmitCommand for a buffer that lists what is not required",
                      "render " + std::to_string(submitted.render), {rejected->second});
    } else if (device != device_of_.end() && due_.contains(device->second)) {
      judgement_.fail(index, "the device in error after a submission that was rejected",
                      "it goes on", {due_[device->second]});
    } else if (device != device_of_.end() && in_error_.contains(device->second) &&
               in_error_[device->second] == kNotRequired) {
      judgement_.fail(index, "no submission of a device in error",
                      "render " + std::to_string(submitted.render));
    }
  }

 private:
  [[nodiscard]] std::uint32_t missing_of(const ev::SubmissionChecked& checked) const {
    const auto list = lists_.find(checked.render);
    if (list == lists_.end()) return kNone;
    for (const AllocationRecord& entry : records_of(list->second)) {
      if (entry.allocation == kNone || entry.allocation == kOfHost) continue;
      const auto count = counts_.find({checked.device, entry.allocation});
      if (count != counts_.end() && count->second != 0) continue;
      if (checked.rejected != 0 || !was_emptied(checked.render, entry.allocation)) {
        return entry.allocation;
      }
    }
    return kNone;
  }
  // In some pass no entry named it any more.
  [[nodiscard]] bool was_emptied(std::uint32_t render, std::uint32_t allocation) const {
    const auto altered = altered_.find(render);
    if (altered == altered_.end()) return false;
    for (const std::uint32_t index : altered->second) {
      bool named = false;
      for (const AllocationRecord& entry : records_of(index)) {
        named = named || entry.allocation == allocation;
      }
      if (!named) return true;
    }
    return false;
  }
  [[nodiscard]] std::span<const AllocationRecord> records_of(std::uint32_t index) const {
    return trace_.blob<AllocationRecord>(trace_.events()[index]);
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counts_;  // device, allocation
  ScratchMap<std::uint32_t, std::uint32_t> lists_;                   // RenderCalled, by render
  ScratchMap<std::uint32_t, ScratchVector<std::uint32_t>> altered_;  // ListAltered, by render
  ScratchMap<std::uint32_t, std::uint32_t> rejected_;                // by render
  ScratchMap<std::uint32_t, std::uint32_t> due_;                     // by device
  ScratchMap<std::uint32_t, std::uint32_t> in_error_;                // cause, by device
  ScratchMap<std::uint32_t, std::uint32_t> device_of_;               // by context
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Lists lists(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::ResidencyCounted, ev::AllocationCreated, ev::RenderCalled, ev::ListAltered,
                    ev::DdiEntered, ev::SubmissionChecked, ev::DeviceInError, ev::Submitted>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::ResidencyCounted) {
      lists.follow(trace.at<ev::ResidencyCounted>(index));
    } else if (kind == EventKind::AllocationCreated) {
      lists.follow(trace.at<ev::AllocationCreated>(index));
    } else if (kind == EventKind::RenderCalled) {
      lists.follow(index, trace.at<ev::RenderCalled>(index));
    } else if (kind == EventKind::ListAltered) {
      lists.follow(index, trace.at<ev::ListAltered>(index));
    } else if (kind == EventKind::DdiEntered) {
      lists.follow(trace.at<ev::DdiEntered>(index));
    } else if (kind == EventKind::SubmissionChecked) {
      lists.follow(index, trace.at<ev::SubmissionChecked>(index));
    } else if (kind == EventKind::DeviceInError) {
      lists.follow(trace.at<ev::DeviceInError>(index));
    } else {
      lists.follow(index, trace.at<ev::Submitted>(index));
    }
  }
}

NotApplicable patch_lists_of_wddm_2(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return platform.wddm2() ? nullptr : "the driver is one of WDDM 1: lists bring in what they name";
}

const Rule kRule{
    .id = "RES-001",
    .title = "Submission that references a non-resident allocation is rejected",
    .binds = Binds::Os,
    .rule =
        "From WDDM 2.0 on an allocation list brings nothing in. A submission whose list names an "
        "allocation that its device does not require (MakeResident) is rejected, and the device is "
        "in error: nothing of it is submitted any more.",
    .sources =
        "access-to-non-resident-allocation.md\n"
        "residency-overview.md # Phasing out allocation and patch location list",
    .note = "For engines with patch lists alone. Other devices, of the same process too, go on.",
    .applies = patch_lists_of_wddm_2,
    .check = check,
    .played_in = {Configured::PatchLists2},
    .scenario = R"(
about: a buffer uses an allocation that was evicted, and later ones of its device what is required
ops:
- residency: {required_only: true, careless: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local, pages: 2}
- create_allocation: {allocation: 2, place: local, pages: 2}
- create_device: {device: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 3, place: local, device: 1}
- require: {allocation: 1, count: 2}
- require: {allocation: 3, device: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
- release: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 4096}
- idle
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- render: {context: 2}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x33333333}
- idle
)",
    .control = R"(
about: what is made resident twice and evicted once stays required
ops:
- residency: {required_only: true, careless: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- require: {allocation: 1}
- require: {allocation: 1}
- release: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
)",
    .fault = {.about = "what a list names is brought in for it",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::BringInWhatIsNotRequired}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_001
