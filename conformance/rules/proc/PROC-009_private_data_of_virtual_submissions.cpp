// PROC-009: of the private data of a virtual submission only what user mode wrote is its word.
//
// Judged are packets that differ in nothing but what an earlier packet left behind the data of user
// mode: the driver must answer them alike.

#include <tuple>

#include "conformance/host/interposer.h"
#include "conformance/rules/proc/virtual_packets.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/names.h"

namespace wddm::proc_009 {
namespace {

// What a driver may go by when it looks at a packet of honest commands: the engine, the process,
// whose objects the data may name, and what they are.
using Given = std::tuple<EngineId, std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>;

struct Answer {
  std::uint32_t event = kNone;  // Submitted
  std::uint64_t behind = 0;
  std::uint32_t status = 0;
};

class Answers {
 public:
  explicit Answers(Judgement& judgement) : judgement_(judgement) {}

  // What the data of an earlier process of that number named is not there any more. Where contexts
  // have no page tables, whose they are is not known.
  void created(const ev::ProcessCreated& created) {
    std::erase_if(answers_, [&](const auto& answer) {
      const std::uint32_t process = std::get<1>(answer.first);
      return process == created.process || process == kNone;
    });
  }
  void root_set(const ev::RootSet& set) { process_of_[set.context] = set.process; }
  void given(const ev::PrivateDataGiven& data) { given_[data.packet] = data; }
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    const auto found = given_.find(packet.packet);
    if (found == given_.end() || packet.again != 0) return;
    const ev::PrivateDataGiven data = found->second;
    if (data.commands_hostile != 0) return;
    const auto process = process_of_.find(packet.context);
    const Given key{engine_of(packet), process == process_of_.end() ? kNone : process->second,
                    data.command_bytes, data.user_bytes, data.digest};
    const Answer now{index, data.behind, packet.status};
    const auto [before, is_new] = answers_.try_emplace(key, now);
    if (is_new || before->second.behind == now.behind) return;
    judgement_.reached(index);
    if (before->second.status == now.status) return;
    judgement_.fail(index,
                    "the same answer whatever stands behind the " +
                        std::to_string(data.user_bytes) +
                        " bytes of user mode: " + status_name(before->second.status),
                    status_name(now.status), {before->second.event});
  }
  void damaged(std::uint32_t index, const ev::GuardDamaged& guard) {
    if (!given_.contains(guard.object)) return;
    judgement_.reached(index);
    judgement_.fail(index, "nothing is written behind DmaBufferPrivateDataSize",
                    std::to_string(guard.bytes) + " bytes are");
  }

 private:
  Judgement& judgement_;
  ScratchMap<std::uint32_t, std::uint32_t> process_of_;    // by context, where it has page tables
  ScratchMap<std::uint32_t, ev::PrivateDataGiven> given_;  // by packet
  ScratchMap<Given, Answer> answers_;                      // the first
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Answers answers(judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::ProcessCreated, ev::RootSet, ev::PrivateDataGiven, ev::Submitted,
                    ev::GuardDamaged>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::ProcessCreated) answers.created(trace.at<ev::ProcessCreated>(index));
    if (kind == EventKind::RootSet) answers.root_set(trace.at<ev::RootSet>(index));
    if (kind == EventKind::PrivateDataGiven) answers.given(trace.at<ev::PrivateDataGiven>(index));
    if (kind == EventKind::Submitted) answers.submitted(index, trace.at<ev::Submitted>(index));
    if (kind != EventKind::GuardDamaged) continue;
    const auto guard = trace.at<ev::GuardDamaged>(index);
    const bool area = guard.area == static_cast<std::uint32_t>(GuardArea::DmaPrivateData);
    if (area) answers.damaged(index, guard);
  }
}

// A driver that takes a whole header from the buffer, whatever user mode has written.
class ReadsItAll final : public Interposer {
 public:
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    DXGKARG_SUBMITCOMMANDVIRTUAL altered = *submit;
    if (!submit->Flags.Paging) {
      altered.DmaBufferUmdPrivateDataSize = submit->DmaBufferPrivateDataSize;
    }
    return Interposer::SubmitCommandVirtual(adapter, &altered);
  }
};

const Rule kRule{
    .id = "PROC-009",
    .title = "Private data sizes of a virtual submission",
    .grade = Grade::Robustness,
    .rule =
        "Of the DmaBufferPrivateDataSize bytes of a virtual submission only the first "
        "DmaBufferUmdPrivateDataSize are user mode's, be it none. The driver takes nothing behind "
        "them for its word, and reads and writes nothing behind the whole.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_submitcommandvirtual.md # DmaBufferUmdPrivateDataSize\n"
        "ns-d3dumddi-_d3dddicb_submitcommand.md # PrivateDriverDataSize\n"
        "nc-d3dkmddi-dxgkddi_submitcommandvirtual.md # returns",
    .note =
        "Whether a driver refuses less data than its client makes is its own affair; that it does "
        "so by the data alone is judged, in the same process: data may name objects of it. A read "
        "behind the buffer ends the run. What else it may "
        "answer says PROC-007.",
    .applies = proc::virtual_packets,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::IoMmuAlone},
    .scenario = R"(
about: the same packet with no data, some and all of it, in buffers that were used before
ops:
- create_device: {device: 1}
- create_device: {device: 2}
- create_device: {device: 3}
- create_device: {device: 4}
- create_context: {context: 1, device: 1}
- create_context: {context: 2, device: 2}
- create_context: {context: 3, device: 3}
- create_context: {context: 4, device: 4}
- render: {context: 1}
- private_data: {bytes: 0, again: true}
- spin: {units: 2}
- render: {context: 2}
- private_data: {bytes: 0, behind: 0x53444d55}
- spin: {units: 2}
- idle
- render: {context: 3}
- private_data: {bytes: 8, again: true}
- spin: {units: 2}
- render: {context: 4}
- private_data: {bytes: 8, behind: 0xffffffff}
- spin: {units: 2}
- idle
# Eight may be all that a client has.
- create_device: {device: 5}
- create_device: {device: 6}
- create_context: {context: 5, device: 5}
- create_context: {context: 6, device: 6}
- render: {context: 5}
- private_data: {bytes: 4, again: true}
- spin: {units: 2}
- render: {context: 6}
- private_data: {bytes: 4, behind: 0xffffffff}
- spin: {units: 2}
- idle
- render: {context: 1}
- private_data: {bytes: 65536, behind: 0x53444d55}
- spin: {units: 2}
- render: {context: 1}
- private_data: {bytes: 65536}
- spin: {units: 2}
- idle
- render: {context: 1}
- tamper_private: {offset: 0, value: 0}
- spin: {units: 2}
- idle
)",
    .control = R"(
about: packets with all of their data
ops:
- create_context: {context: 1}
- render: {context: 1}
- spin: {units: 2}
- render: {context: 1}
- private_data: {bytes: 65536, behind: 0xa5a5a5a5}
- spin: {units: 2}
- idle
)",
    .fault = {.about = "a whole header is read, whatever user mode has written",
              .interposer = [] { return std::unique_ptr<Interposer>(new ReadsItAll); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::proc_009
