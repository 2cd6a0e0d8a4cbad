// PROC-005: DestroyProcess of a live process succeeds, and nothing is left of the process.
//
// What hardware calls a process by may be given to a later one. When, nobody knows of a driver that
// was not seen before: the scenario lets many come and go.

#include <algorithm>
#include <iterator>

#include "conformance/rules/fence/engine_history.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::proc_005 {
namespace {

// The first packet of a process that was made when others had gone.
class Newcomers final : public SpaceObserver {
 public:
  Newcomers(const Trace& trace, Judgement& judgement) : judgement_(judgement) {
    for (const std::uint32_t index : trace.of<ev::DdiReturned>()) {
      const auto returned = trace.at<ev::DdiReturned>(index);
      if (returned.ddi == static_cast<std::uint32_t>(DdiId::DestroyProcess)) gone_.push_back(index);
      if (returned.ddi == static_cast<std::uint32_t>(DdiId::CreateProcess)) {
        made_[returned.object].push_back(index);
      }
    }
  }
  void submitted(const SpacePacket& packet, const SpacePacket&) override {
    if (packet.process == kNone) return;
    const std::uint32_t made = latest(made_[packet.process], packet.submitted);
    const std::uint32_t left = made == kNone ? kNone : latest(gone_, made);
    if (left != kNone && first_of_.insert(made).second)
      packets_[packet.packet] = {left, made, false};
  }
  void shown(const SpaceSign& sign) override {
    const bool right = sign.kind == SpaceSign::Kind::Right;
    // Of its own tables the clauses of page tables speak.
    const bool of_another = sign.kind == SpaceSign::Kind::Memory ||
                            (sign.kind == SpaceSign::Kind::Walk &&
                             sign.walk.why == static_cast<std::uint32_t>(AstrayWalk::OtherSpace));
    const Made* const made = right || of_another ? judged(sign.packet.packet, sign.event) : nullptr;
    if (made != nullptr && !right) fail_by(sign, judgement_, kExpected, {made->after, made->event});
  }
  void held_up(const Submission& submission) {
    const Made* const made = judged(submission.packet.packet, submission.event);
    if (made == nullptr) return;
    judgement_.fail(submission.event, kExpected, "its first packet never ended",
                    {made->after, made->event});
  }

 private:
  struct Made {
    std::uint32_t after = kNone;  // DestroyProcess of another
    std::uint32_t event = kNone;
    bool judged = false;
  };

  static constexpr const char* kExpected = "a new process finds nothing of one that has gone";

  // Each packet once; null if it is none to judge, or not any more.
  const Made* judged(std::uint32_t packet, std::uint32_t event) {
    const auto found = packets_.find(packet);
    if (found == packets_.end() || found->second.judged) return nullptr;
    found->second.judged = true;
    judgement_.reached(event);
    return &found->second;
  }
  // The last of them before an event.
  static std::uint32_t latest(const ScratchVector<std::uint32_t>& events, std::uint32_t before) {
    const auto next = std::lower_bound(events.begin(), events.end(), before);
    return next == events.begin() ? kNone : *std::prev(next);
  }

  Judgement& judgement_;
  ScratchVector<std::uint32_t> gone_;
  ScratchMap<std::uint32_t, ScratchVector<std::uint32_t>> made_;  // by process
  ScratchSet<std::uint32_t> first_of_;                            // CreateProcess
  ScratchMap<std::uint32_t, Made> packets_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::DdiReturned>()) {
    const auto returned = trace.at<ev::DdiReturned>(index);
    if (returned.ddi != static_cast<std::uint32_t>(DdiId::DestroyProcess)) continue;
    judgement.reached(index);
    if (returned.status == static_cast<std::uint32_t>(STATUS_SUCCESS)) continue;
    judgement.fail(index, "STATUS_SUCCESS", status_name(returned.status));
  }
  Newcomers newcomers(trace, judgement);
  observe_spaces(trace, newcomers);
  for (const auto& [engine, submissions] : submissions_by_engine(trace)) {
    for_each_uncovered(submissions, [&](std::span<const Submission> left) {
      if (const Submission* const stopped = held_up_by_driver(trace, left)) {
        newcomers.held_up(*stopped);
      }
    });
  }
}

NotApplicable ending_processes(const Platform& platform) {
  if (const NotApplicable reason = virtual_addresses(platform)) return reason;
  return needs(platform, DdiId::DestroyProcess);
}

// A process that comes and goes; one that leaves translations behind; one that would find them,
// with its memory elsewhere.
// clang-format off
#define COMES \
  "- create_device: {device: 1, process: 1}\n" \
  "- destroy_device: {device: 1}\n"
#define BEGINS \
  "- create_device: {device: 1, process: 1}\n" \
  "- create_context: {context: 1, device: 1}\n"
#define WORKS \
  "- create_allocation: {allocation: 1, place: local, device: 1}\n" \
  "- render: {context: 1}\n" \
  "- bind: {slot: 1, allocation: 1}\n" \
  "- add: {slot: 1, offset: 0, value: 1}\n" \
  "- idle\n" \
  "- destroy_device: {device: 1}\n"
#define TAKES_ITS_PLACE(n) \
  "- create_allocation: {allocation: " #n ", place: local}\n" \
  "- make_resident: {allocation: " #n "}\n" \
  "- idle\n"
#define EIGHT(what) what what what what what what what what
#define SIXTY_FOUR EIGHT(EIGHT(COMES))
#define SIXTY_TWO \
  EIGHT(COMES) EIGHT(COMES) EIGHT(COMES) EIGHT(COMES) EIGHT(COMES) EIGHT(COMES) EIGHT(COMES) \
  COMES COMES COMES COMES COMES COMES
#define AGAIN_AFTER(processes, n) BEGINS WORKS processes BEGINS TAKES_ITS_PLACE(n) WORKS
// clang-format on

const Rule kRule{
    .id = "PROC-005",
    .title = "DestroyProcess ends a process whose devices are gone",
    .rule =
        "DestroyProcess returns STATUS_SUCCESS for a live handle once the devices of the process "
        "are gone. What the hardware called the process by goes to another one only without its "
        "translations.",
    .sources =
        "nc-d3dkmddi-dxgkddi_destroyprocess.md\n"
        "gpu-virtual-address.md # introduction",
    .note =
        "That it gives back what CreateProcess took is seen in the balance of pool, which tells "
        "of the driver as a whole (LIFE-004). How many processes come before a number of the "
        "hardware's comes again is the driver's affair: 63, 64, 255 and 256 are tried, and on the "
        "other GPU of a link 1, 63 and 64.",
    .applies = ending_processes,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::IoMmuAlone,
                  Configured::Linked},
    .scenario = R"(
about: processes with addresses and page tables of their own go with the last of their devices
ops:
- create_device: {device: 1, process: 1}
- create_device: {device: 2, process: 1}
- create_context: {context: 0, device: 1}
- create_allocation: {allocation: 0, device: 1}
- make_resident: {allocation: 0}
- idle
- destroy_device: {device: 1}
- destroy_device: {device: 2}
)" AGAIN_AFTER(SIXTY_TWO, 10) AGAIN_AFTER(SIXTY_TWO COMES, 11)
        AGAIN_AFTER(SIXTY_FOUR SIXTY_FOUR SIXTY_FOUR SIXTY_TWO, 12)
            AGAIN_AFTER(SIXTY_FOUR SIXTY_FOUR SIXTY_FOUR SIXTY_TWO COMES, 13) R"(
# Of a link the other GPU as well, which keeps translations of its own.
- physical_adapter: {index: 1}
)" AGAIN_AFTER("", 14) AGAIN_AFTER(SIXTY_TWO, 15) AGAIN_AFTER(SIXTY_TWO COMES, 16),
    .control = R"(
about: processes that did nothing, and one that goes on when its first device has gone
ops:
- create_device: {device: 1, process: 1}
- destroy_device: {device: 1}
- create_device: {device: 1, process: 2}
- create_device: {device: 2, process: 2}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 2}
- create_allocation: {allocation: 1, place: local, device: 1}
- create_allocation: {allocation: 2, place: local, device: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- destroy_device: {device: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 0, value: 1}
- idle
# One more takes its place there, and finds the addresses of its process.
- create_device: {device: 3, process: 2}
- create_context: {context: 3, device: 3}
- render: {context: 3}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 4, value: 1}
- idle
- destroy_device: {device: 3}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 8, value: 1}
- idle
- destroy_device: {device: 2}
)",
    .fault = {.about = "numbers of dead processes are given again, with their translations",
              .seat = FaultSeat::Variant,
              .variant = 16,
              .also_fires = "FENCE-001 NT-DmaOutsideMemory SUBMIT-017"}};

#undef COMES
#undef BEGINS
#undef WORKS
#undef TAKES_ITS_PLACE
#undef EIGHT
#undef SIXTY_FOUR
#undef SIXTY_TWO
#undef AGAIN_AFTER

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::proc_005
