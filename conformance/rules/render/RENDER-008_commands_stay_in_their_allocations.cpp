// RENDER-008: what user mode has altered reaches no memory that its list does not name.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/aperture_faults.h"
#include "conformance/rules/preempt/first_preemption.h"
#include "conformance/rules/render/render_status.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/split/split_memory.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"

namespace wddm::render_008 {
namespace {

// Renders that user mode has altered and that succeeded, and the packets of theirs that an engine
// has, by fence. A buffer that was cut is none: what its later portions rely on is SPLIT-005's. Nor
// is one that runs with the addresses that Render put there, unless one that nobody altered has run
// so before: whether Render puts them there is RENDER-006's.
class Altered {
 public:
  explicit Altered(const Trace& trace) : trace_(trace), buffers_(split::submissions_of(trace)) {}

  void on(const ev::Rendered& call) {
    if (call.hostile != 0 && render::made_output(call.status)) renders_.insert(call.render);
  }
  void submitted(std::uint32_t index) {
    const auto packet = trace_.at<ev::Submitted>(index);
    if (packet.paging != 0) {
      submitted_.erase({engine_of(packet), packet.fence});
      return;
    }
    submitted_[{engine_of(packet), packet.fence}] = index;
    if (!renders_.contains(packet.render)) {
      plain_.insert(packet.packet);
    } else if (!patched_.contains(packet.packet) && !plain_prepatched_) {
      return;
    } else if (!buffers_.find(packet.render)->second.split) {
      packets_.insert(packet.packet);
    }
  }
  void on(const ev::Patched& call) { patched_.insert(call.packet); }
  /// A packet has come to its end.
  void ended(std::uint32_t packet) {
    plain_prepatched_ |= is_plain(packet) && !patched_.contains(packet);
  }
  [[nodiscard]] bool has(std::uint32_t packet) const { return packets_.contains(packet); }
  /// One that user mode has left as it was.
  [[nodiscard]] bool is_plain(std::uint32_t packet) const { return plain_.contains(packet); }
  /// The Submitted of a packet of user mode's, or kNone.
  [[nodiscard]] std::uint32_t packet_of(const ev::DeviceLogged& record) const {
    const auto found = submitted_.find({engine_of(record), record.tag});
    return found == submitted_.end() ? kNone : found->second;
  }

 private:
  const Trace& trace_;
  const ScratchMap<std::uint32_t, split::Submission> buffers_;
  ScratchSet<std::uint32_t> renders_, packets_, plain_, patched_;
  bool plain_prepatched_ = false;  // one that was never patched has ended
  ScratchMap<std::pair<EngineId, std::uint32_t>, std::uint32_t> submitted_;
};

// An engine that reads its commands where there is no memory has come to none of them.
bool fetches(const ev::DeviceLogged& record, const ev::Submitted& packet) {
  return record.address >= packet.address + packet.start &&
         record.address < packet.address + packet.end;
}

// After its packets nobody knows what the allocations of an altered buffer hold: what differs lies
// elsewhere.
bool after_render(std::uint32_t cause) {
  return cause == static_cast<std::uint32_t>(MemoryCause::Render);
}

// Faults at pages of an aperture that a map has left: no command is to blame for them.
ScratchSet<std::uint32_t> of_maps(const Trace& trace, const Platform& platform) {
  ScratchSet<std::uint32_t> records;
  page::ApertureFaults(trace, platform).each([&](const page::ApertureFaults::Fault& fault) {
    if (page::maps(fault)) records.insert(fault.record);
  });
  return records;
}

constexpr const char* kExpected =
    "Render refuses what would reach other memory than its list names "
    "(STATUS_PRIVILEGED_INSTRUCTION)";

// A call that is refused reaches nothing; what one that succeeds does shows with its packets. Where
// buffers go wrong that nobody has altered, or engines were stopped, the others prove nothing.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const auto renders = trace.of<ev::Rendered>();
  const bool any_altered = std::any_of(renders.begin(), renders.end(), [&](std::uint32_t index) {
    return trace.at<ev::Rendered>(index).hostile != 0;
  });
  if (!any_altered) return;
  const ScratchSet<std::uint32_t> mapped = of_maps(trace, platform);
  const std::uint32_t preempted = preempt::first_preemption(trace);
  Altered altered(trace);
  bool plain_wrong = false;
  in_order_of_calls<ev::Rendered, ev::Patched, ev::DeviceLogged, ev::MemoryChecked,
                    ev::MemoryDiffers>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    const bool judged = !plain_wrong && index < preempted;
    if (event.kind == EventKind::Rendered) {
      const auto call = trace.at<ev::Rendered>(index);
      altered.on(call);
      if (call.hostile != 0 && !render::made_output(call.status)) judgement.reached(index);
    } else if (event.kind == EventKind::Patched) {
      altered.on(Trace::as<ev::Patched>(event));
    } else if (event.kind == EventKind::Submitted) {
      altered.submitted(index);
    } else if (event.kind == EventKind::DeviceLogged) {
      const auto record = trace.at<ev::DeviceLogged>(index);
      const std::uint32_t submitted = altered.packet_of(record);
      if (submitted == kNone) return;
      const auto packet = trace.at<ev::Submitted>(submitted);
      const bool faults = record.kind == WDDM_DEVICE_FAULT && !mapped.contains(index);
      plain_wrong |= faults && altered.is_plain(packet.packet);
      if (record.kind == WDDM_DEVICE_PACKET_END) altered.ended(packet.packet);
      if (!judged || !altered.has(packet.packet)) return;
      if (record.kind == WDDM_DEVICE_PACKET_END) judgement.reached(index);
      if (!faults || fetches(record, packet)) return;
      judgement.fail(
          index, kExpected,
          "the packet accesses address " + std::to_string(record.address) + ", where no memory is",
          {submitted});
    } else if (event.kind == EventKind::MemoryChecked) {
      const auto checked = trace.at<ev::MemoryChecked>(index);
      if (!after_render(checked.cause)) return;
      altered.ended(checked.object);
      if (judged && altered.has(checked.object)) judgement.reached(index);
    } else if (event.kind == EventKind::MemoryDiffers) {
      const auto differs = trace.at<ev::MemoryDiffers>(index);
      if (!after_render(differs.cause)) return;
      plain_wrong |= altered.is_plain(differs.cause_object);
      if (!judged || !altered.has(differs.cause_object)) return;
      judgement.fail(index, kExpected,
                     std::to_string(differs.length) + " bytes elsewhere were written");
    }
  });
}

// A driver that takes offsets of commands for granted.
class ChecksNoOffset final : public Interposer {
 public:
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    auto* const bytes = static_cast<std::uint8_t*>(render->pDmaBuffer);
    D3DDDI_PATCHLOCATIONLIST* const elements = render->pPatchLocationListOut;
    const NTSTATUS status = Interposer::Render(context, render);
    if (NT_SUCCESS(status)) {
      bytes_.assign(bytes, static_cast<std::uint8_t*>(render->pDmaBuffer));
      elements_.assign(elements, render->pPatchLocationListOut);
      return status;
    }
    if (render::incomplete(static_cast<std::uint32_t>(status)) || elements_.empty() ||
        render->DmaSize < bytes_.size()) {
      return status;
    }
    std::memcpy(bytes, bytes_.data(), bytes_.size());
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      elements[i] = elements_[i];
      if (i == 0) elements[i].AllocationOffset = 0xfff00000;
    }
    render->pDmaBuffer = bytes + bytes_.size();
    render->pPatchLocationListOut = elements + elements_.size();
    return STATUS_SUCCESS;
  }

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<D3DDDI_PATCHLOCATIONLIST> elements_;
};

// Words change when the first of several passes has read them: what that pass has checked says
// nothing of what a later one finds. An offset behind all commands stands for the word that says
// where the last of them writes (RENDER-002), which is in the last pass, however long commands are.
std::string changed_between_passes() {
  std::string ops;
  const auto race = [&ops](int less, const std::string& offset, const char* value) {
    ops += "- render: {context: 0, dma_measure: needed_minus, dma_bytes: " + std::to_string(less) +
           "}\n- bind: {slot: 0, allocation: 0}\n";
    for (int command = 0; command < 10; ++command) {
      ops += "- fill: {slot: 0, offset: " + std::to_string(4 * command) +
             ", size: 4, value: 0x22222222}\n";
    }
    ops += "- race: {input: command, offset: " + offset + ", value: " + value + "}\n- idle\n";
  };
  for (const int less : {48, 96, 200, 330, 560}) {
    race(less, "0xfffffffc", "0xfffff000");
    race(less, "0xfffffffc", "0x2000");
  }
  for (int word = 0; word < 48; ++word) race(96, std::to_string(4 * word), "0xfffff000");
  return ops;
}

// What is bound a page further on and written a page before its start lies in the allocation for
// who adds both in 32 bits, or in 64, and far from it for the GPU. A client may bind what it uses
// only from its second page on there by itself. Where it does not, which word is the binding's
// offset is its affair, as is the command's: of two words one becomes a page, and one behind it
// what wraps around with that. A driver that refuses most of them for other reasons does well.
void wrap_with_their_binding(std::string& ops) {
  const auto put = [](int word, const char* value) {
    return "- tamper_command: {offset: " + std::to_string(4 * word) + ", value: " + value + "}\n";
  };
  const auto render = [&ops](int page, const std::string& altered) {
    ops +=
        "- render: {context: 0}\n"
        "- bind: {slot: 0, allocation: 0}\n"
        "- fill: {slot: 0, offset: " +
        std::to_string(page * 4096) + ", size: 4096, value: 0x22222222}\n" + altered + "- idle\n";
  };
  for (int word = 0; word < 16; ++word) {
    render(1, put(word, "0xfffff000"));
    render(1, put(word, "0xfffff000") + put(word + 1, "0xffffffff"));
    // By the least that wraps, too: hardware may stop at what is far out of its reach.
    ops +=
        "- render: {context: 0}\n"
        "- bind: {slot: 0, allocation: 0}\n"
        "- fill: {slot: 0, offset: 4, size: 4, value: 0x22222222}\n" +
        put(word, "0xfffffffc") + "- idle\n";
    // From the second page on, by a page too many: whoever forgets where it begins takes it to end
    // with its allocation.
    ops +=
        "- render: {context: 0}\n"
        "- bind: {slot: 0, allocation: 0}\n"
        "- fill: {slot: 0, offset: 4096, size: 64, value: 0x22222222}\n" +
        put(word, "0x2000") + "- idle\n";
    // What is read may be checked by other code than what is written. Not that of the neighbour
    // behind: what altered commands name is predicted no more.
    ops +=
        "- render: {context: 0}\n"
        "- bind: {slot: 0, allocation: 0}\n"
        "- bind: {slot: 1, allocation: 4}\n"
        "- copy: {slot: 0, source: 1, offset: 4096, source_offset: 4096, size: 4096}\n" +
        put(word, "0xfffff000") + "- idle\n";
  }
  constexpr int kWords = 12;
  for (int binding = 0; binding < kWords; ++binding) {
    for (int command = binding + 1; command < kWords; ++command) {
      render(0, put(binding, "0x1000") + put(command, "0xfffff000"));
    }
  }
}

// Where in a command an offset or a size lies is the client's affair: each word is altered, alone
// and with the next, so that a sum of both wraps around. Then by one page, in commands of a slot
// that is bound again to the same allocation: whichever of both bindings begins a page further on,
// the driver has to check, and to run, each command with its own. Commands for kernel mode alone
// the client knows itself.
const std::string& each_word() {
  static const std::string text = [] {
    std::string ops =
        "about: words of a command lie far behind its allocation, by themselves or with their "
        "binding, or a page further on than "
        "before, or come to lie there between two passes of Render; "
        "commands for kernel mode alone\n"
        "ops:\n"
        "- create_context: {context: 0}\n"
        "- create_allocation: {allocation: 0, pages: 2, place: local}\n"
        "- create_allocation: {allocation: 1, pages: 2, place: local}\n"
        "- create_allocation: {allocation: 4, pages: 2, place: local}\n"
        "- render: {context: 0}\n"
        "- bind: {slot: 0, allocation: 0}\n"
        "- fill: {slot: 0, size: 4096, value: 0x11111111}\n"
        // What may lie behind it.
        "- render: {context: 0}\n"
        "- bind: {slot: 0, allocation: 1}\n"
        "- fill: {slot: 0, size: 4096, value: 0x44444444}\n"
        "- idle\n";
    const auto render = [&ops](const std::string& element) {
      ops +=
          "- render: {context: 0}\n"
          "- bind: {slot: 0, allocation: 0}\n"
          "- fill: {slot: 0, size: 4096, value: 0x22222222}\n" +
          element + "- idle\n";
    };
    render("- revoke: {input: command, accessible: 4}\n");
    for (int word = 0; word < 16; ++word) {
      const auto put = [word](int further, const char* value) {
        return "- tamper_command: {offset: " + std::to_string(4 * (word + further)) +
               ", value: " + value + "}\n";
      };
      render(put(0, "0xfffff000"));
      render(put(0, "0xfffff000") + put(1, "0x2000"));
    }
    wrap_with_their_binding(ops);
    // What a command reads has to lie in its allocation as well, be it the one that it writes to.
    for (int word = 0; word < 16; ++word) {
      ops +=
          "- render: {context: 0}\n"
          "- bind: {slot: 0, allocation: 0}\n"
          "- copy: {slot: 0, source: 0, source_offset: 4096}\n"
          "- tamper_command: {offset: " +
          std::to_string(4 * word) +
          ", value: 0xfffff000}\n"
          "- idle\n";
    }
    for (int word = 0; word < 24; ++word) {
      ops +=
          "- render: {context: 0}\n"
          "- bind: {slot: 0, allocation: 0}\n"
          "- fill: {slot: 0, size: 4096, value: 0x22222222}\n"
          "- bind: {slot: 0, allocation: 0}\n"
          "- fill: {slot: 0, size: 8192, value: 0x33333333}\n"
          "- tamper_command: {offset: " +
          std::to_string(4 * word) +
          ", value: 0x1000}\n"
          "- idle\n";
    }
    ops += changed_between_passes();
    // Last, for hardware may hang at what it is not to be given.
    ops +=
        "- create_device: {device: 1, process: 1}\n"
        "- create_allocation: {allocation: 2, device: 1, pages: 2, place: local}\n"
        "- make_resident: {allocation: 2}\n"
        "- fill_memory: {allocation: 2, pattern: 0x33333333}\n"
        "- idle\n"
        // A context that comes without private data is none of the kernel's.
        "- create_device: {device: 2, process: 2}\n"
        "- create_allocation: {allocation: 3, device: 2, place: local}\n"
        "- create_context: {context: 1, device: 2, no_data: true}\n";
    for (int way = 0; way < 3; ++way) {
      ops +=
          "- render: {context: 1}\n"
          "- bind: {slot: 0, allocation: 3}\n"
          "- fill: {slot: 0, size: 4096, value: 0x22222222}\n"
          "- privileged: {allocation: 2, way: " +
          std::to_string(way) +
          ", offset: 512}\n"
          "- idle\n";
    }
    for (int way = 0; way < 3; ++way) {
      render("- privileged: {allocation: 2, way: " + std::to_string(way) + ", offset: 512}\n");
    }
    return ops;
  }();
  return text;
}

const Rule kRule{
    .id = "RENDER-008",
    .title = "Privileged commands are refused",
    .grade = Grade::Robustness,
    .evidence = Evidence::Memory,
    .rule =
        "A command buffer with a privileged command, or with one that would reach memory outside "
        "of the allocations of its list, makes Render fail (STATUS_PRIVILEGED_INSTRUCTION); none "
        "of it is submitted. User mode can change it between two passes of Render: each checks "
        "what it takes.",
    .sources =
        "nc-d3dkmddi-dxgkddi_render.md # returns, Remarks (validation)\n"
        "nc-d3dumddi-pfnd3dddi_rendercb.md # returns",
    .note =
        "The return table of the page speaks of nonprivileged instructions, an evident slip. "
        "Judged "
        "are buffers that user mode has altered and that Render took, by what their packets do: "
        "faults in the device's log, and memory that none of their allocations has. A driver that "
        "makes an altered command harmless does what is asked. Nothing is judged of buffers that "
        "were cut, behind preemptions, where buffers that nobody altered go wrong too, and of one "
        "that Patch is left out for before another has shown that what Render puts there is right.",
    .applies = render::translating,
    .check = check,
    .scenario = each_word().c_str(),
    .control = R"(
about: what the client has built, and a slot that is bound again further on, and further back
ops:
- create_context: {context: 0}
- create_allocation: {allocation: 0, pages: 2, place: local}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, size: 4096, value: 0x11111111}
- tamper_patch: {element: 0, member: DriverId, value: 0x2000}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, size: 8192, value: 0x22222222}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 4096, size: 4096, value: 0x33333333}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, size: 8192, value: 0x44444444}
- idle
)",
    .fault = {.about = "what is refused runs all the same, far behind its allocation",
              .interposer = [] { return std::unique_ptr<Interposer>(new ChecksNoOffset); },
              .also_fires = "RENDER-001 RENDER-010"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::render_008
