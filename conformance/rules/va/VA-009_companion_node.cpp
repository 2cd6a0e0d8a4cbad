// VA-009: the paging companion of a context runs on the node that the driver has named for it.
//
// Judged are the number, that a context can be made there, and that what the kernel runs in it
// comes to its end with the page tables of the privileged space: a packet that found others faults,
// or reads entries of another space.

#include <string>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "reference/trace/copied_entries.h"

namespace wddm::va_009 {
namespace {

// Then the driver may give the context up.
bool ran_out(std::uint32_t status) {
  constexpr std::uint32_t kNoMemory = 0xC0000017, kInsufficientResources = 0xC000009A;
  return status == kNoMemory || status == kInsufficientResources;
}

struct Companion {
  std::uint32_t event = kNone;
  ev::CompanionCreated created{};
};

class Companions {
 public:
  Companions(const Platform& platform, Judgement& judgement)
      : platform_(platform), judgement_(judgement) {}

  // Of contexts of the kernel nobody asks for a companion.
  void follow(std::uint32_t index, const ev::ContextCreated& created) {
    if (static_cast<std::int32_t>(created.status) < 0) return;
    if (created.context >= kSystemProcessNumber) return;
    judgement_.reached(index);
    if (created.companion_node < platform_.nodes) return;
    judgement_.fail(
        index,
        "a PagingCompanionNodeId below " + std::to_string(platform_.nodes) +
            ", the number of nodes",
        std::to_string(created.companion_node) + ", of context " + std::to_string(created.context));
  }
  void follow(std::uint32_t index, const ev::CompanionCreated& created) {
    if (created.named_node >= platform_.nodes || ran_out(created.status)) return;
    judgement_.reached(index);
    companions_[created.companion] = {index, created};
    if (static_cast<std::int32_t>(created.status) >= 0) return;
    judgement_.fail(index,
                    "a context on node " + std::to_string(created.named_node) +
                        ", which PagingCompanionNodeId names",
                    "CreateContext fails there");
  }
  void follow(std::uint32_t index, const ev::Submitted& submitted) {
    by_fence_.erase({engine_of(submitted), submitted.fence});
    const auto found = companions_.find(submitted.context);
    if (found == companions_.end()) return;
    judgement_.reached(index);
    packets_[submitted.packet] = {index, submitted.context};
    by_fence_[{engine_of(submitted), submitted.fence}] = submitted.packet;
    if (submitted.paging == 0 || submitted.node != found->second.created.node) {
      judgement_.fail(index, "only buffers of the kernel in a companion, on its node",
                      submitted.paging == 0 ? "a buffer of user mode" : "another node",
                      {found->second.event});
    }
    if (static_cast<std::int32_t>(submitted.status) < 0) {
      judgement_.fail(index, "SubmitCommandVirtual takes a buffer of the kernel", "it fails",
                      {found->second.event});
    }
  }
  void follow(std::uint32_t index, const ev::PacketEnded& ended) {
    const auto packet = packets_.find(ended.packet);
    if (packet == packets_.end() || ended.fate != static_cast<std::uint32_t>(PacketFate::Faulted)) {
      return;
    }
    judgement_.fail(index, "paging that comes to its end on the node", "a page fault",
                    {packet->second.submitted});
  }
  void follow(std::uint32_t index, const ev::AccessFaulted& fault) {
    const auto packet = packets_.find(fault.packet);
    if (packet == packets_.end()) return;
    judgement_.fail(index, "the page tables of the privileged space in a companion",
                    "an access found no translation", {packet->second.submitted});
  }
  void follow(std::uint32_t index, const ev::WalkAstray& walk) {
    const auto packet = by_fence_.find({engine_of(walk), walk.fence});
    if (packet == by_fence_.end() || !packets_.contains(packet->second)) return;
    judgement_.fail(index, "the page tables of the privileged space in a companion",
                    "the GPU read an entry elsewhere", {packets_[packet->second].submitted});
  }
  void follow(std::uint32_t index, const ev::EntriesCopied& copied,
              std::span<const CopiedFrom> from) {
    const bool of_companion = !from.empty() && from[0].source_process >= kPrivilegedSpaceNumber;
    if (!of_companion || copied.read == 0) return;
    judgement_.reached(index);
    if (copied.unlike == 0) return;
    judgement_.fail(
        index, "entries that a companion has copied",
        std::to_string(copied.unlike) + " of " + std::to_string(copied.count) + " are others");
  }

 private:
  struct Packet {
    std::uint32_t submitted = kNone;
    std::uint32_t companion = kNone;
  };

  const Platform& platform_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, Companion> companions_;
  ScratchMap<std::uint32_t, Packet> packets_;
  ScratchMap<std::pair<EngineId, std::uint32_t>, std::uint32_t> by_fence_;
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Companions companions(platform, judgement);
  in_order_of_calls<ev::ContextCreated, ev::CompanionCreated, ev::PacketEnded, ev::AccessFaulted,
                    ev::WalkAstray, ev::EntriesCopied>(trace, [&](std::uint32_t index) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::ContextCreated) {
      companions.follow(index, trace.at<ev::ContextCreated>(index));
    } else if (kind == EventKind::CompanionCreated) {
      companions.follow(index, trace.at<ev::CompanionCreated>(index));
    } else if (kind == EventKind::Submitted) {
      companions.follow(index, trace.at<ev::Submitted>(index));
    } else if (kind == EventKind::PacketEnded) {
      companions.follow(index, trace.at<ev::PacketEnded>(index));
    } else if (kind == EventKind::AccessFaulted) {
      companions.follow(index, trace.at<ev::AccessFaulted>(index));
    } else if (kind == EventKind::WalkAstray) {
      companions.follow(index, trace.at<ev::WalkAstray>(index));
    } else {
      companions.follow(index, trace.at<ev::EntriesCopied>(index),
                        trace.blob<CopiedFrom>(trace.events()[index]));
    }
  });
}

// A driver that leaves the member as it finds it.
class LeavesGarbage final : public Interposer {
 public:
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (!create->Flags.SystemContext) create->ContextInfo.PagingCompanionNodeId = 0xCDCDCDCD;
    return status;
  }
};

const Rule kRule{
    .id = "VA-009",
    .title = "Paging companion context runs on the node the driver chose",
    .evidence = Evidence::Boundary,
    .rule =
        "DXGK_CONTEXTINFO::PagingCompanionNodeId is the index of a node that there is, and that "
        "executes paging operations. Updates of tile mappings run there, in a context that the "
        "kernel makes with the first of them and that alone runs its buffers, in the privileged "
        "address space of the process: the second root of that process, and its own.",
    .sources =
        "tile-resources.md\n"
        "ns-d3dkmddi-_dxgk_contextinfo.md # PagingCompanionNodeId\n"
        "per-process-gpu-virtual-address-spaces.md # Process privileged virtual address space",
    .note =
        "How Windows marks a companion in CreateContext is not said: here it is a SystemContext of "
        "the context's device. Where updates are made by the CPU none is made. Two address spaces "
        "of one process have one hProcess, and each its root.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::GpuVirtual, Configured::Pages64K,
                  Configured::Pairs, Configured::GpuVirtualUpdates, Configured::Linked},
    .scenario = R"(
about: tiles of two contexts are mapped by their companions, moved and mapped again; some where the kernel's buffers lie in the other space; and tiles of another process at the same addresses
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, pages: 4, place: local}
- create_allocation: {allocation: 2, pages: 4, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 4}
- update_address: {allocation: 2, kind: map, to: 4, from: 0, pages: 4}
- await_fence: {context: 1, fence: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11111111}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 16384}
- idle
- move: {allocation: 1}
- tile_updates: {context: 2, fence: 2}
- update_address: {allocation: 1, kind: map, to: 4, from: 0, pages: 4}
- await_fence: {context: 2, fence: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x22222222}
- idle
- create_allocation: {allocation: 3, pages: 32, place: local}
- make_resident: {allocation: 3}
- reserve_address: {device: 0, base: 0x100000, size: 0x20000}
- update_address: {allocation: 3, kind: map, to: 0, from: 0, pages: 32}
- await_fence: {context: 2, fence: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 65536, size: 65536, value: 0x33333333}
- signal_fence: {context: 2, fence: 2}
- update_address: {allocation: 3, kind: map, to: 0, from: 0, pages: 32}
- await_fence: {context: 2, fence: 2}
- render: {context: 2}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 65536, size: 65536, value: 0x44444444}
- idle
# The companion of another process has a space of its own, where its tables are seen at addresses
# that the first one has too.
- destroy_allocation: {allocation: 3}
- destroy_allocation: {allocation: 2}
- create_device: {device: 1, process: 1}
- create_context: {context: 3, device: 1}
- create_allocation: {allocation: 4, pages: 4, place: local, device: 1}
- create_allocation: {allocation: 5, pages: 4, place: local, device: 1}
- make_resident: {allocation: 4}
- make_resident: {allocation: 5}
- reserve_address: {device: 1, base: 0x100000, size: 0x20000}
- tile_updates: {context: 3, fence: 3}
- update_address: {allocation: 4, kind: map, to: 0, from: 0, pages: 4}
- update_address: {allocation: 5, kind: map, to: 4, from: 0, pages: 4}
- await_fence: {context: 3, fence: 3}
- render: {context: 3}
- bind: {slot: 1, allocation: 4}
- bind: {slot: 2, allocation: 5}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x55555555}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 16384}
- idle
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 4, from: 0, pages: 4}
- await_fence: {context: 1, fence: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x66666666}
- idle
- tile_updates: {context: 3, fence: 3}
- update_address: {allocation: 5, kind: map, to: 0, from: 0, pages: 4}
- await_fence: {context: 3, fence: 3}
- render: {context: 3}
- bind: {slot: 2, allocation: 5}
- fill: {slot: 2, offset: 4096, size: 8192, value: 0x77777777}
- idle
)",
    .control = R"(
about: a companion goes on when power has come back
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- create_allocation: {allocation: 2, pages: 4, place: local}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- tile_updates: {context: 1, fence: 1}
- update_address: {allocation: 1, kind: map, to: 0, from: 0, pages: 4}
- await_fence: {context: 1, fence: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11111111}
- idle
- power_cycle
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- update_address: {allocation: 2, kind: map, to: 0, from: 0, pages: 4}
- await_fence: {context: 1, fence: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x22222222}
- idle
)",
    .fault = {.about = "PagingCompanionNodeId is not written",
              .interposer = [] { return std::unique_ptr<Interposer>(new LeavesGarbage); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_009
