// MCDM-045: nodes for kernel-mode testing take work that the driver itself has built.

#include "conformance/host/interposer.h"
#include "conformance/rules/caps/named_nodes.h"
#include "conformance/rules/differing_memory.h"
#include "conformance/rules/mcdm/engines/test_runs.h"
#include "conformance/rules/mcdm/undisturbed.h"
#include "conformance/rules/rule.h"

namespace wddm::mcdm_045 {
namespace {

// What Windows gives room for.
constexpr std::uint32_t kMostCommands = 4096, kMostPrivateData = 1024;
constexpr std::uint32_t kTestContext = 1u << 5;  // DXGK_CREATECONTEXTFLAGS
constexpr auto kOverflow = static_cast<std::uint32_t>(STATUS_BUFFER_OVERFLOW);

std::string sizes_said(const ev::TestBufferBuilt& built) {
  return status_name(built.status) + ", " + std::to_string(built.dma_after) +
         " bytes of commands, " + std::to_string(built.private_after) + " of private data";
}

// A node that says that it runs what the driver builds; kNone: there is none.
std::uint32_t node_for_tests(const Trace& trace, const Platform& platform) {
  constexpr std::uint32_t kFlags = 4;                                // NodeAnswered::unwritten
  constexpr std::uint32_t kSupportBuildTestCommandBuffer = 1u << 4;  // DXGK_NODEMETADATA_FLAGS
  for (const std::uint32_t index : trace.of<ev::NodeAnswered>()) {
    const auto node = trace.at<ev::NodeAnswered>(index);
    if (!nodes::exists(node, platform) || !NT_SUCCESS(static_cast<NTSTATUS>(node.status))) continue;
    if ((node.unwritten & kFlags) != 0) continue;
    if ((node.flags & kSupportBuildTestCommandBuffer) != 0) return index;
  }
  return kNone;
}

// Nodes alone say nothing to anybody: nobody could have a buffer built.
void judge_want(std::uint32_t index, std::uint32_t node, Judgement& judgement) {
  if (node == kNone) return;
  judgement.reached(index);
  judgement.fail(index,
                 "DXGK_FEATURE_KERNEL_MODE_TESTING, as a node has SupportBuildTestCommandBuffer",
                 "the driver does not support it", {node});
}

// The members that all interfaces of DxgkDdiQueryInterface begin with.
void judge_header(std::uint32_t index, const ev::TestingOffered& offered, Judgement& judgement) {
  if (offered.interface_size < sizeof(INTERFACE) ||
      offered.interface_size > sizeof(DXGKDDI_FEATURE_INTERFACE)) {
    judgement.fail(index,
                   "INTERFACE::Size is that of the interface, at most the Size that was asked for",
                   std::to_string(offered.interface_size));
  } else if (offered.interface_version != DXGK_FEATURE_INTERFACE_VERSION_1) {
    judgement.fail(index, "INTERFACE::Version is DXGK_FEATURE_INTERFACE_VERSION_1, as asked for",
                   std::to_string(offered.interface_version));
  } else if (offered.references != 3) {
    judgement.fail(index, "INTERFACE::InterfaceReference and InterfaceDereference", "null");
  }
}

void judge_offer(std::uint32_t index, const ev::TestingOffered& offered, bool undisturbed,
                 Judgement& judgement) {
  judgement.reached(index);
  judge_header(index, offered, judgement);
  if (offered.behind != 0) {
    judgement.fail(index, "nothing is written behind InterfaceSize",
                   std::to_string(offered.behind) + " bytes are");
  }
  if (offered.status != 0) {
    if (!undisturbed) return;
    judgement.fail(index, "the interface of a feature that the driver supports",
                   status_name(offered.status));
  } else if (offered.function == 0) {
    judgement.fail(index, "pfnBuildTestCommandBuffer", "null");
  } else if (offered.size != sizeof(DXGKDDI_KERNELMODETESTINGINTERFACE)) {
    judgement.fail(index, "InterfaceSize is that of the interface", std::to_string(offered.size));
  }
}

void judge_context(std::uint32_t index, const ev::ContextCreated& created, bool undisturbed,
                   Judgement& judgement) {
  if ((created.flags & kTestContext) == 0) return;
  judgement.reached(index);
  if (NT_SUCCESS(static_cast<NTSTATUS>(created.status)) || !undisturbed) return;
  judgement.fail(index, "STATUS_SUCCESS for a test context, which comes without private data",
                 status_name(created.status));
}

// The sizes that the driver asks for, or says to have written.
bool within_limits(const ev::TestBufferBuilt& built) {
  return built.dma_after <= kMostCommands && built.private_after <= kMostPrivateData;
}

void judge_build(std::uint32_t index, const ev::TestBufferBuilt& built, bool undisturbed,
                 Judgement& judgement) {
  judgement.reached(index);
  if (built.behind != 0) {
    judgement.fail(index, "nothing is written behind the buffers",
                   std::to_string(built.behind) + " bytes are");
  }
  const auto call = static_cast<TestCall>(built.call);
  const bool overflow = built.status == kOverflow;
  if (built.status != 0 && !overflow) {
    if (!undisturbed) return;
    judgement.fail(index,
                   call == TestCall::Exact
                       ? "STATUS_SUCCESS: the buffers are no smaller than asked for"
                       : "STATUS_BUFFER_OVERFLOW and the sizes",
                   status_name(built.status));
    return;
  }
  const bool small =
      built.dma_after <= built.dma_before && built.private_after <= built.private_before;
  if (overflow && call == TestCall::Exact) {
    judgement.fail(index, "STATUS_SUCCESS: the buffers are no smaller than asked for",
                   sizes_said(built));
  } else if (overflow && small) {
    judgement.fail(index, "with STATUS_BUFFER_OVERFLOW, sizes that are more than was given",
                   sizes_said(built));
  } else if (!overflow && built.dma_before == 0) {
    judgement.fail(index, "STATUS_BUFFER_OVERFLOW and the sizes: there is no DMA buffer",
                   status_name(built.status));
  } else if (!overflow && !small) {
    judgement.fail(index, "sizes of what was written, and so no more than was given",
                   sizes_said(built));
  } else if (!within_limits(built)) {
    judgement.fail(index, "4 KB of commands and 1 KB of private data at most", sizes_said(built));
  }
}

// Of a buffer that user mode has altered only its process must suffer.
void judge_memory(std::uint32_t index, const ev::MemoryDiffers& differs, const TestPacket& packet,
                  Judgement& judgement) {
  const char* const expected =
      packet.changed == 0  ? "the bytes of the range that was named, and no others"
      : packet.status == 0 ? "what user mode alters reaches no memory but that of its process"
                           : "a buffer that was refused changes no memory";
  judgement.fail(index, expected, difference_text(differs), {packet.submitted});
}

void judge_paging(std::uint32_t index, const ev::PagingBuilt& built, bool undisturbed,
                  Judgement& judgement) {
  judgement.reached(index);
  const auto status = static_cast<NTSTATUS>(built.status);
  const bool taken = NT_SUCCESS(status) || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ||
                     status == STATUS_GRAPHICS_ALLOCATION_BUSY;
  if (taken || !undisturbed) return;
  judgement.fail(index, paging_operation_name(built.operation) + " with hAllocation NULL is built",
                 status_name(built.status));
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (trace.of<ev::TestingOffered>().empty()) return;
  const bool unhurt = undisturbed(trace), may_fault = addresses_may_fault(trace);
  const auto packets = test_packets(trace);
  bool nameless = false;
  for (const std::uint32_t index :
       trace.of_any<ev::TestingOffered, ev::ContextCreated, ev::TestBufferBuilt, ev::Submitted,
                    ev::PacketEnded, ev::MemoryChecked, ev::MemoryDiffers, ev::PagingNames,
                    ev::PagingBuilt>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::TestingOffered) {
      const auto offered = trace.at<ev::TestingOffered>(index);
      if (offered.enabled != 0) {
        judge_offer(index, offered, unhurt, judgement);
      } else if (unhurt) {
        judge_want(index, node_for_tests(trace, platform), judgement);
      }
    } else if (event.kind == EventKind::ContextCreated) {
      judge_context(index, trace.at<ev::ContextCreated>(index), unhurt, judgement);
    } else if (event.kind == EventKind::TestBufferBuilt) {
      judge_build(index, trace.at<ev::TestBufferBuilt>(index), unhurt, judgement);
    } else if (event.kind == EventKind::PagingNames) {
      nameless = trace.at<ev::PagingNames>(index).nameless != 0;
    } else if (event.kind == EventKind::PagingBuilt) {
      const auto built = trace.at<ev::PagingBuilt>(index);
      const bool contents = built.operation == DXGK_OPERATION_VIRTUAL_TRANSFER ||
                            built.operation == DXGK_OPERATION_VIRTUAL_FILL;
      if (nameless && contents) judge_paging(index, built, unhurt, judgement);
    } else if (event.kind == EventKind::Submitted) {
      const auto packet = packets.find(trace.at<ev::Submitted>(index).packet);
      if (packet == packets.end()) continue;
      judgement.reached(index);
      if (packet->second.changed != 0 || packet->second.status == 0) continue;
      judgement.fail(index, "STATUS_SUCCESS for a buffer that the driver has built itself",
                     status_name(packet->second.status));
    } else if (event.kind == EventKind::PacketEnded) {
      const auto ended = trace.at<ev::PacketEnded>(index);
      const auto packet = packets.find(ended.packet);
      const bool faulted = ended.fate == static_cast<std::uint32_t>(PacketFate::Faulted);
      if (packet == packets.end() || packet->second.changed != 0 || !faulted || may_fault) continue;
      judgement.fail(index, "the command reaches the addresses that it was built for",
                     "packet " + std::to_string(ended.packet) + " ends in a page fault",
                     {packet->second.submitted});
    } else if (event.kind == EventKind::MemoryChecked) {
      const auto checked = trace.at<ev::MemoryChecked>(index);
      if (of_commands(checked.cause) && packets.contains(checked.object)) judgement.reached(index);
    } else {
      const auto differs = trace.at<ev::MemoryDiffers>(index);
      const auto packet = packets.find(differs.cause_object);
      if (!of_commands(differs.cause) || packet == packets.end()) continue;
      judge_memory(index, differs, packet->second, judgement);
    }
  }
}

// A driver whose fills go one word too far.
class FillsOneWordMore final : public Interposer {
 public:
  NTSTATUS BuildTestCommandBuffer(PDXGKDDI_BUILDTESTCOMMANDBUFFER entry, HANDLE adapter,
                                  DXGKARG_BUILDTESTCOMMANDBUFFER* build) override {
    const D3DDDI_TESTCOMMANDBUFFER asked = build->Command;
    if (asked.Operation == D3DDDI_TESTCOMMANDBUFFEROP_FILL) build->Command.Fill.NumBytes += 4;
    const NTSTATUS status = Interposer::BuildTestCommandBuffer(entry, adapter, build);
    build->Command = asked;
    return status;
  }
};

NotApplicable builds_tests(const Platform& platform) {
  if (const NotApplicable reason = virtual_submission(platform)) return reason;
  if (platform.interface_version < static_cast<std::uint32_t>(InterfaceVersion::Wddm3_2)) {
    return "the driver is older than WDDM 3.2";
  }
  if (const NotApplicable reason = needs(platform, DdiId::QueryInterface)) return reason;
  return needs(platform, DdiId::GetNodeMetadata);
}

const Rule kRule{
    .id = "MCDM-045",
    .title = "Nodes for kernel-mode testing take work without private data",
    .evidence = Evidence::Memory,
    .rule =
        "A driver that supports DXGK_FEATURE_KERNEL_MODE_TESTING gives its interface, and one that "
        "sets SupportBuildTestCommandBuffer of a node supports it. On such nodes it makes contexts "
        "with TestContext without private data. pfnBuildTestCommandBuffer says the sizes that it "
        "needs, 4 KB of commands and 1 KB of private data at most, together with "
        "STATUS_BUFFER_OVERFLOW while buffers are missing or too small, and builds a copy or a "
        "fill in buffers of just these sizes. Submitted to the node, that writes the range that "
        "was named and nothing else. What user mode has altered is refused, or reaches no memory "
        "beyond its process. Fills and transfers of paging are built with hAllocation NULL as "
        "well.",
    .sources =
        "kernel-mode-testing-of-wddm-features.md # Overview\n"
        "kernel-mode-testing-of-wddm-features.md # Creating a context without private data\n"
        "kernel-mode-testing-of-wddm-features.md # Building a command buffer\n"
        "nc-d3dkmddi-dxgkddi_buildtestcommandbuffer.md # Remarks\n"
        "ns-d3dkmddi-dxgkarg_buildtestcommandbuffer.md\n"
        "ns-d3dkmddi-dxgkarg_queryfeatureinterface.md\n"
        "nc-dispmprt-dxgkddi_query_interface.md # Remarks (INTERFACE)",
    .note =
        "Of all devices, and not only of those that compute alone; test signing is taken to be on. "
        "Ranges begin at pages: no page says what addresses may be odd to. The size that comes "
        "before there are buffers may be larger than what is written then. With a DMA buffer or "
        "private data a byte shorter than what was written, or without private data, a driver "
        "refuses, or makes do. Allocations are the "
        "client's, which are as linear as the standard ones that Windows guarantees; NULL "
        "allocations are read as fills and transfers by GPU virtual address. \"Confined to its "
        "process\" follows from address spaces. A feature that is supported elsewhere, in another "
        "configuration or a later version, leaves nodes as they are. Not judged: hardware queues "
        "(TestQueue), loops, "
        "whether commands are privileged but by what they reach, and a crash, which ends the run.",
    .applies = builds_tests,
    .check = check,
    .played_in = {Configured::KernelModeTesting},
    .scenario = R"(
about: fills and copies on two nodes between pages that stay as they are; paging without names; then a process that alters what the driver built
ops:
- create_allocation: {allocation: 0, pages: 18}
- create_allocation: {allocation: 1, pages: 18}
- create_test_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_test_context: {context: 1, node: 1}
- test_fill: {context: 0, allocation: 0, page: 1, value: 0x5eedf111}
- test_fill: {context: 0, allocation: 0, page: 1, bytes: 65536, value: 0xa5c3f00d}
- test_fill: {context: 0, allocation: 0, page: 3, bytes: 4, value: 0x1}
- test_copy: {context: 0, allocation: 1, source: 0, page: 1, source_page: 1, bytes: 65536}
- test_copy: {context: 0, allocation: 1, source: 0, page: 9, source_page: 3, bytes: 4100}
- test_fill: {context: 1, allocation: 1, page: 2, bytes: 8200, value: 0x600dbeef}
- test_copy: {context: 1, allocation: 0, source: 1, page: 6, source_page: 2, bytes: 8196}
- nameless_paging
- evict: {allocation: 0}
- test_fill: {context: 0, allocation: 0, page: 4, value: 0x77777777}
- create_allocation: {allocation: 3, pages: 3}
- test_copy: {context: 0, allocation: 3, source: 0, page: 1, source_page: 4}
- nameless_paging: {on: false}
- create_device: {device: 1, process: 1}
- create_allocation: {allocation: 2, pages: 4, device: 1}
- create_test_context: {context: 2, device: 1}
- test_fill: {context: 2, allocation: 2, page: 1}
- alter_test: {seed: 24}
- test_fill: {context: 2, allocation: 2, page: 1, value: 0x22222222}
- cycle
- create_allocation: {allocation: 0, pages: 4}
- create_test_context: {context: 0}
- test_fill: {context: 0, allocation: 0, page: 1}
- create_device: {device: 1, process: 1}
- create_allocation: {allocation: 2, pages: 4, device: 1}
- create_test_context: {context: 2, device: 1}
- alter_test: {seed: 28}
- test_copy: {context: 2, allocation: 2, source: 2, page: 2, source_page: 1}
- cycle
- create_allocation: {allocation: 0, pages: 4}
- create_test_context: {context: 0}
- test_fill: {context: 0, allocation: 0, page: 1}
- create_device: {device: 1, process: 1}
- create_allocation: {allocation: 2, pages: 4, device: 1}
- create_test_context: {context: 2, device: 1}
- alter_test: {private_data: true, bytes: 4, seed: 1}
- test_fill: {context: 2, allocation: 2}
)",
    .control = R"(
about: what nodes say; a context for testing beside one of user mode, and one word; then an address of more than 32 bits
ops:
- requery
- create_context: {context: 0}
- create_test_context: {context: 1}
- create_allocation: {allocation: 0, pages: 2}
- test_copy: {context: 1, allocation: 0, source: 0, page: 1, bytes: 4}
# Where the upper half would be twice as much another allocation lies.
- create_allocation: {allocation: 1, pages: 2}
- test_fill: {context: 1, allocation: 1, value: 0x0ddba115}
- map_address: {allocation: 1, at: bit, bit: 33}
- map_address: {allocation: 0, at: bit, bit: 32}
- test_fill: {context: 1, allocation: 0, page: 1, value: 0x12345678}
- destroy_context: {context: 1}
)",
    .fault = {.about = "fills go one word too far",
              .interposer = [] { return std::unique_ptr<Interposer>(new FillsOneWordMore); },
              .also_fires = "PGSZ-001 PROC-005 PT-005 VA-001 VPAGE-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_045
