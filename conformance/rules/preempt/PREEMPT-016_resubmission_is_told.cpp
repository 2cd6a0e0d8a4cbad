// PREEMPT-016: a packet that was preempted is submitted again as such.

#include "conformance/rules/preempt/resubmissions.h"
#include "reference/trace/ddi.h"

namespace wddm::preempt_016 {
namespace {

constexpr std::uint32_t kResubmission = 0x80;

// DXGK_SUBMITCOMMANDFLAGS by packet and call, in the order of the calls.
std::uint32_t flags_of(const Trace& trace, const Event& event, std::uint32_t ddi) {
  if (ddi == static_cast<std::uint32_t>(DdiId::SubmitCommand)) {
    const auto call = trace.blob<ddi_arguments::SubmitCommand>(event);
    return call.empty() ? 0 : call.front().flags;
  }
  const auto call = trace.blob<ddi_arguments::SubmitCommandVirtual>(event);
  return call.empty() ? 0 : call.front().flags;
}

// The last call for each packet that has not been visited, as they come.
class Calls {
 public:
  explicit Calls(const Trace& trace) : trace_(trace), entered_(trace.of<ev::DdiEntered>()) {}
  std::uint32_t flags_of_next(std::uint32_t packet) {
    for (; next_ < entered_.size(); ++next_) {
      const auto call = trace_.at<ev::DdiEntered>(entered_[next_]);
      const bool submits = call.ddi == static_cast<std::uint32_t>(DdiId::SubmitCommand) ||
                           call.ddi == static_cast<std::uint32_t>(DdiId::SubmitCommandVirtual);
      if (!submits || call.object != packet) continue;
      return flags_of(trace_, trace_.events()[entered_[next_++]], call.ddi);
    }
    return 0;
  }

 private:
  const Trace& trace_;
  std::span<const std::uint32_t> entered_;
  std::size_t next_ = 0;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Calls calls(trace);
  preempt::for_each_submission(trace, [&](const preempt::Submission& one) {
    const bool told = (calls.flags_of_next(one.packet.packet) & kResubmission) != 0;
    const bool again = one.from == preempt::CameBack::Preempted;
    if (again) judgement.reached(one.event);
    // What a reset of the engine sends back was not preempted: either will do.
    if (one.from == preempt::CameBack::Reset || told == (again && platform.wddm2())) return;
    const std::string packet = "packet " + std::to_string(one.packet.packet);
    if (told) {
      judgement.fail(one.event, "Resubmission 0", packet + " with Resubmission 1");
    } else {
      judgement.fail(one.event, "Resubmission 1 for what was preempted",
                     packet + " with Resubmission 0", {one.before, one.returned});
    }
  });
}

const Rule kRule{
    .id = "PREEMPT-016",
    .title = "Resubmission flag marks preempted packets",
    .binds = Binds::Os,
    .rule =
        "DXGK_SUBMITCOMMANDFLAGS::Resubmission is 0 when a packet is submitted first, and 1 "
        "whenever it is submitted again because it was preempted. For drivers of WDDM 1.x it is "
        "always 0.",
    .sources = "ns-d3dkmddi-_dxgk_submitcommandflags.md # Resubmission",
    .note = "The value 0x80 follows from the order of the bits.",
    .applies = preempt::preempting_commands,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::PatchLists2},
    .scenario = R"(
about: a packet is stopped, and one that waits behind it comes back with it
ops:
- create_context: {context: 0}
- queue_depth: {packets: 2}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- render: {context: 0}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: nothing comes back
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "Resubmission is 0 whatever the packet",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::ResubmissionUntold}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_016
