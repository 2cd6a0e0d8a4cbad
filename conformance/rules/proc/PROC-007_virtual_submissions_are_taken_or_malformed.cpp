// PROC-007: SubmitCommandVirtual takes a packet, or says that it is malformed, and only if it is.

#include <string>

#include "conformance/host/interposer.h"
#include "conformance/rules/proc/virtual_packets.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "reference/trace/names.h"

namespace wddm::proc_007 {
namespace {

// Packets of user mode that has altered neither commands nor private data.
ScratchSet<std::uint32_t> well_formed(const Trace& trace) {
  ScratchSet<std::uint32_t> packets;
  for (const std::uint32_t index : trace.of<ev::PrivateDataGiven>()) {
    const auto given = trace.at<ev::PrivateDataGiven>(index);
    if (given.hostile == 0 && given.commands_hostile == 0) packets.insert(given.packet);
  }
  return packets;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (!platform.has_virtual_addresses()) return;
  const auto honest = well_formed(trace);
  ScratchMap<std::uint32_t, std::uint32_t> refused;  // Submitted, by packet
  in_order_of_calls<ev::MarkerRead>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::MarkerRead) {
      const auto marker = Trace::as<ev::MarkerRead>(event);
      const auto found = refused.find(marker.packet);
      if (found == refused.end() || marker.runs == 0) return;
      judgement.fail(index, "a refused packet is not executed",
                     "packet " + std::to_string(marker.packet) + " has run to its end",
                     {found->second});
      return;
    }
    const auto submitted = trace.at<ev::Submitted>(index);
    judgement.reached(index);
    const auto status = static_cast<NTSTATUS>(submitted.status);
    if (status == STATUS_SUCCESS) return;
    if (status == STATUS_INVALID_PARAMETER && submitted.paging == 0) {
      refused[submitted.packet] = index;
      if (!honest.contains(submitted.packet)) return;
      judgement.fail(index,
                     "STATUS_SUCCESS: the packet is as the driver's own user-mode half has built it",
                     status_name(submitted.status));
      return;
    }
    judgement.fail(index,
                   submitted.paging != 0
                       ? "STATUS_SUCCESS for a paging buffer, which the driver has built itself"
                       : "STATUS_SUCCESS or STATUS_INVALID_PARAMETER",
                   status_name(submitted.status));
  });
}

// A driver that finds its ring full at every second packet of user mode.
class RingIsFull final : public Interposer {
 public:
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    const NTSTATUS status = Interposer::SubmitCommandVirtual(adapter, submit);
    if (submit->Flags.Paging) return status;
    return ++packets_ % 2 == 0 ? STATUS_NO_MEMORY : status;
  }

 private:
  std::uint32_t packets_ = 0;
};

// Any word of the private data may be a size, a number or a place that a driver takes for granted:
// each is another by much and by one bit, in a context of its own, with a packet of another process
// behind it. An engine that comes to no end by that is reset. A word behind the data is none.
const std::string& each_word_altered() {
  static const std::string text = [] {
    std::string ops =
        "about: packets whose private data are altered, word by word, each of a process that ends "
        "then, beside those of another process\nops:\n- create_context: {context: 0}\n";
    for (int word = 0; word < 8; ++word) {
      for (const char* const change : {"value: 0xffffffff", "flip: true, value: 0x00000001",
                                       "flip: true, value: 0x00001000"}) {
        ops +=
            "- create_device: {device: 1, process: 1}\n"
            "- create_context: {context: 1, device: 1}\n"
            "- render: {context: 1}\n"
            "- spin: {units: 2}\n"
            "- idle\n"
            "- render: {context: 1}\n"
            "- tamper_private: {offset: " +
            std::to_string(4 * word) + ", " + change +
            "}\n"
            "- spin: {units: 2}\n"
            "- render: {context: 0}\n"
            "- spin: {units: 2}\n";
        for (int step = 0; step < 4; ++step) ops += "- advance: {units: 100}\n";
        ops +=
            "- time_out: {node: 0, units: 100}\n"
            "- idle\n"
            "- destroy_device: {device: 1}\n";
      }
    }
    return ops;
  }();
  return text;
}

const Rule kRule{
    .id = "PROC-007",
    .aliases = "SUBMIT-007",
    .title = "Return values of SubmitCommandVirtual",
    .rule =
        "SubmitCommandVirtual returns STATUS_SUCCESS, or STATUS_INVALID_PARAMETER where the DMA "
        "buffer or the private data that user mode wrote is malformed; that packet is not "
        "executed. What the driver's own user-mode half has built is not malformed. Anything else "
        "stops Windows.",
    .sources = "nc-d3dkmddi-dxgkddi_submitcommandvirtual.md # returns",
    .note =
        "Paging buffers come from the driver itself, and have no data of user mode: there is "
        "nothing in them to refuse. That a refused packet was executed shows by its marker, which "
        "its last command writes: one that ran in part is not noticed. What becomes of its fence "
        "SUBMIT-008 judges, and the reports that follow (FENCE-001..003, PREEMPT-007).",
    .applies = proc::virtual_packets,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::IoMmuAlone},
    .scenario = R"(
about: packets and paging, and a malformed one behind another that runs
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0}
- queue_depth: {packets: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- render: {context: 0}
- spin: {units: 2}
- idle
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- tamper_private: {offset: 0, value: 0xffffffff}
- idle
)",
    .control = each_word_altered().c_str(),
    .fault = {.about = "every second packet is refused for lack of memory",
              .interposer = [] { return std::unique_ptr<Interposer>(new RingIsFull); },
              .also_fires = "LIFE-005"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::proc_007
