// PROC-010: what hostile user mode writes into its buffers reaches no memory but its process's own.
//
// Judged by memory, whatever the end of the packet is: refused, completed, faulted, or hung and
// reset with its engine. What the process itself has may change: the host does not predict it then.

#include <string>

#include "conformance/host/interposer.h"
#include "conformance/rules/differing_memory.h"
#include "conformance/rules/proc/virtual_packets.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/judged_apart.h"

namespace wddm::proc_010 {
namespace {

class Effects {
 public:
  Effects(const Trace& trace, Judgement& judgement)
      : trace_(trace), judgement_(judgement), renders_(submit::privileged_renders(trace)) {}

  [[nodiscard]] bool any() const { return !renders_.empty(); }
  void submitted(std::uint32_t index) {
    const auto packet = trace_.at<ev::Submitted>(index);
    const auto built = renders_.find(packet.render);
    if (packet.paging == 0 && built != renders_.end()) {
      packets_[packet.packet] = {built->second, index};
    }
  }
  void checked(std::uint32_t index) {
    const auto checked = trace_.at<ev::MemoryChecked>(index);
    if (others_wrong_ || !is_render(checked.cause)) return;
    const auto packet = packets_.find(checked.object);
    if (packet == packets_.end()) return;
    // Else it may have written there all the same.
    if (trace_.at<ev::PrivilegedBuilt>(packet->second.built).seen != 0) judgement_.reached(index);
  }
  // What is wrong before, or by others, says that memory is not followed right, or the tables are.
  void differs(std::uint32_t index) {
    const auto differs = trace_.at<ev::MemoryDiffers>(index);
    const auto packet =
        is_render(differs.cause) ? packets_.find(differs.cause_object) : packets_.end();
    others_wrong_ |= packet == packets_.end();
    if (others_wrong_ || is_its_mark(differs)) return;
    judgement_.fail(index,
                    "no memory but the process's own is written by a command for kernel mode alone",
                    difference_text(differs), {packet->second.built, packet->second.submitted});
  }

 private:
  struct Packet {
    std::uint32_t built = kNone;      // PrivilegedBuilt
    std::uint32_t submitted = kNone;  // Submitted
  };
  static bool is_render(std::uint32_t cause) {
    return cause == static_cast<std::uint32_t>(MemoryCause::Render);
  }
  // Every process has an address for that one.
  static bool is_its_mark(const ev::MemoryDiffers& differs) {
    return differs.where == static_cast<std::uint32_t>(MemoryPlace::Allocation) &&
           differs.object == host::kMarkerAllocation.value;
  }

  const Trace& trace_;
  Judgement& judgement_;
  const ScratchMap<std::uint32_t, std::uint32_t> renders_;
  ScratchMap<std::uint32_t, Packet> packets_;
  bool others_wrong_ = false;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Effects effects(trace, judgement);
  if (!effects.any()) return;
  for (const std::uint32_t index :
       trace.of_any<ev::Submitted, ev::MemoryChecked, ev::MemoryDiffers>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::Submitted) effects.submitted(index);
    if (kind == EventKind::MemoryChecked) effects.checked(index);
    if (kind == EventKind::MemoryDiffers) effects.differs(index);
  }
}

// A driver that takes a packet without private data for one that it has built itself.
class TrustsWhatSaysNothing final : public Interposer {
 public:
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    DXGKARG_SUBMITCOMMANDVIRTUAL altered = *submit;
    if (submit->DmaBufferUmdPrivateDataSize == 0) altered.Flags.Paging = 1;
    return Interposer::SubmitCommandVirtual(adapter, &altered);
  }
};

// A context with its private data and a packet with those or without, or a context without.
struct Withheld {
  const char* of_context;
  const char* of_packet;
};
constexpr Withheld kWithheld[] = {
    {"", "- private_data: {bytes: 0}\n"}, {"", ""}, {", no_data: true", ""}};

// For each way and each of these, on two nodes: a process that has something, another that writes
// there, and time for the engine to come to it. An engine that can do no more is reset. Most
// clients have fewer ways.
const std::string& each_way() {
  static const std::string text = [] {
    std::string ops =
        "about: commands for kernel mode alone, by each way that the client has\nops:\n";
    for (int way = 0; way < 3; ++way) {
      for (int node = 0; node < 2; ++node) {
        for (const Withheld& data : kWithheld) {
          const std::string on = std::to_string(node);
          ops +=
              "- create_device: {device: 1, process: 1}\n"
              "- create_context: {context: 1, device: 1}\n"
              "- create_allocation: {allocation: 1, device: 1, place: local}\n"
              "- render: {context: 1}\n"
              "- bind: {slot: 0, allocation: 1}\n"
              "- fill: {slot: 0, size: 4096, value: 0x11111111}\n"
              "- idle\n"
              "- create_device: {device: 2, process: 2}\n"
              "- create_context: {context: 2, device: 2, node: " +
              on + data.of_context +
              "}\n"
              "- render: {context: 2}\n"
              "- spin: {units: 1}\n"
              "- idle\n"
              "- render: {context: 2}\n" +
              data.of_packet + "- privileged: {allocation: 1, way: " + std::to_string(way) +
              ", offset: 512}\n";
          for (int step = 0; step < 8; ++step) ops += "- advance: {units: 100}\n";
          ops += "- time_out: {node: " + on +
                 ", units: 100}\n"
                 "- idle\n"
                 "- destroy_device: {device: 2}\n"
                 "- destroy_device: {device: 1}\n";
        }
      }
    }
    return ops;
  }();
  return text;
}

const Rule kRule{
    .id = "PROC-010",
    .title = "Privileged commands of user mode have no effect on others",
    .grade = Grade::Robustness,
    .evidence = Evidence::Memory,
    .rule =
        "What a buffer of user mode holds is not to be trusted, with private data of the user-mode "
        "driver or without, for the packet or for its context: a command that the hardware has for "
        "kernel mode alone, as one that writes by physical address, changes no memory but what the "
        "process has itself. Only buffers that were made in kernel mode may have such commands.",
    .sources =
        "per-process-gpu-virtual-address-spaces.md # Application GPU virtual address space\n"
        "per-process-gpu-virtual-address-spaces.md # Process privileged virtual address space\n"
        "nc-d3dkmddi-dxgkddi_querycurrentfence.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_submitcommandvirtual.md # DmaBufferUmdPrivateDataSize\n"
        "ns-d3dkmddi-_dxgk_createcontextflags.md # SystemContext\n"
        "nc-d3dkmddi-dxgkddi_submitcommandvirtual.md # returns",
    .note =
        "How the packet ends is left open: it may be refused, complete without having done it, "
        "fault, or hang, so that its engine is reset. Where the whole adapter is reset instead, "
        "nobody knows what memory is to hold, and nothing is judged. What changes where memory "
        "leads to (tables, apertures) is judged as far as it changes what memory holds. With patch "
        "lists such commands go through Render: RENDER-008.",
    .applies = proc::virtual_packets,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::IoMmu,
                  Configured::IoMmuAlone},
    .scenario = each_way().c_str(),
    .control = R"(
about: a process writes by physical address to what it has itself
ops:
- create_device: {device: 1, process: 1}
- create_context: {context: 1, device: 1}
- create_allocation: {allocation: 1, device: 1, place: local}
- render: {context: 1}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0, size: 4096, value: 0x11111111}
- idle
- render: {context: 1}
- private_data: {bytes: 0}
- privileged: {allocation: 1, way: 0, offset: 512}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- time_out: {node: 0, units: 100}
- idle
)",
    .fault = {.about = "packets without private data are taken for the driver's own",
              .interposer = [] { return std::unique_ptr<Interposer>(new TrustsWhatSaysNothing); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::proc_010
