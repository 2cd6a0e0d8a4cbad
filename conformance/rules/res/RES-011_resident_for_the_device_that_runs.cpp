// RES-011: with GPU virtual addresses nothing that a packet uses, or that its device requires, is
// taken out of memory while the packet may be running. The other half of RES-003.
//
// What an eviction is a TransferVirtual does not say: by the entries of its windows, at the time
// that it was built, it copies from a segment to system memory.

#include <d3dkmddi.h>

#include <utility>

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::res_011 {
namespace {

constexpr std::uint64_t kPage = 4096, kLargePage = 65536;
constexpr std::uint32_t kMakeResident = 0;

// Which addresses of the paging process lead to system memory, and which to segments, on each GPU
// of a link. Lives within one check.
class Windows {
 public:
  void follow(const Trace& trace, std::uint32_t index, const ev::TableUpdated& update) {
    if (update.process != kSystemProcessNumber || update.level != 0) return;
    const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
    if (entries.empty()) return;
    const bool large = (update.flags & pt::kUse64KBPages) != 0;
    const std::uint64_t pages = large ? kLargePage / kPage : 1;
    for (std::uint64_t i = 0; i < update.count * pages; ++i) {
      const std::size_t entry = entries.size() == 1 ? 0 : i / pages;
      if (entry >= entries.size()) return;
      const Page page{update.physical_adapter, update.first_va / kPage + i};
      if (pt::is_valid(entries[entry])) {
        is_system_[page] = (entries[entry].flags & entry_flag::kSystem) != 0;
      } else {
        is_system_.erase(page);
      }
    }
  }
  /// A range lies on one side as a whole.
  [[nodiscard]] bool take_out(const ev::TransferBuilt& transfer) const {
    const auto from = is_system_.find({transfer.physical_adapter, transfer.source / kPage});
    const auto to = is_system_.find({transfer.physical_adapter, transfer.destination / kPage});
    if (from == is_system_.end() || to == is_system_.end()) return false;
    return !from->second && to->second;
  }

 private:
  using Page = std::pair<std::uint32_t, std::uint64_t>;  // GPU, number
  ScratchMap<Page, bool> is_system_;
};

// Which allocations leave with which packet of paging, and since when it was built: who is given to
// an engine behind that finds no address of them any more. Those that leave while the driver builds
// have no packet, and leave at their PagingDone.
struct Leaving {
  using Allocations = ScratchMap<std::uint32_t, std::uint32_t>;  // the event that built it
  ScratchMap<std::uint32_t, Allocations> with_packet;
  ScratchMap<std::uint32_t, Allocations> at_event;

  explicit Leaving(const Trace& trace) {
    Windows windows;
    Allocations transferred, unmapped;  // the latest of each
    for (const std::uint32_t index :
         trace.of_any<ev::TableUpdated, ev::TransferBuilt, ev::PagingBuilt, ev::PagingDone>()) {
      const EventKind kind = trace.events()[index].kind;
      if (kind == EventKind::TableUpdated) {
        windows.follow(trace, index, trace.at<ev::TableUpdated>(index));
      } else if (kind == EventKind::TransferBuilt) {
        const auto transfer = trace.at<ev::TransferBuilt>(index);
        if (windows.take_out(transfer)) {
          transferred[transfer.allocation] = index;
        } else {
          transferred.erase(transfer.allocation);
        }
      } else if (kind == EventKind::PagingBuilt) {
        const auto built = trace.at<ev::PagingBuilt>(index);
        if (built.operation == kUnmap) unmapped[built.allocation] = index;
      } else {
        done(index, trace.at<ev::PagingDone>(index), transferred, unmapped);
      }
    }
  }

 private:
  static constexpr std::uint32_t kUnmap = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;

  void done(std::uint32_t index, const ev::PagingDone& done, const Allocations& transferred,
            const Allocations& unmapped) {
    if (done.allocation == kNone || done.gave_up != 0) return;
    if (done.operation != kUnmap && done.operation != DXGK_OPERATION_VIRTUAL_TRANSFER) return;
    const Allocations& built = done.operation == kUnmap ? unmapped : transferred;
    const auto found = built.find(done.allocation);
    if (found == built.end()) return;
    Allocations& leaving = done.packet == kNone ? at_event[index] : with_packet[done.packet];
    leaving[done.allocation] = found->second;
  }
};

class InUse {
 public:
  explicit InUse(const Trace& trace) : trace_(trace) {}

  void on(std::uint32_t index, const ev::BufferBuilt& built) {
    Buffer& buffer = buffers_[built.render];
    buffer.device = built.device;
    for (const AllocationRecord& use : trace_.blob<AllocationRecord>(trace_.events()[index])) {
      buffer.uses.insert(use.allocation);
    }
  }
  void on(std::uint32_t index, const ev::ResidencyAsked& asked) {
    const auto status = static_cast<ResidencyAnswer>(asked.status);
    if (status != ResidencyAnswer::Ok && status != ResidencyAnswer::Pending) return;
    for (const std::uint32_t id : trace_.blob<std::uint32_t>(trace_.events()[index])) {
      std::uint32_t& count = required_[{asked.device, id}];
      if (asked.request == kMakeResident) {
        ++count;
      } else if (count != 0) {
        --count;
      }
    }
  }
  // Others in the slot.
  void on(const ev::DeviceCreated& created) {
    std::erase_if(required_, [&](const auto& one) { return one.first.first == created.device; });
  }
  void on(const ev::AllocationCreated& created) {
    std::erase_if(required_,
                  [&](const auto& one) { return one.first.second == created.allocation; });
  }
  // A driver may report a packet while it takes it.
  void begins(std::uint32_t index, const ev::Submitted& packet) {
    if (early_.erase(packet.packet) == 0) running_[packet.packet] = {packet.render, index};
  }
  void ends(std::uint32_t packet) {
    if (running_.erase(packet) == 0) early_.insert(packet);
  }

  void leave(std::uint32_t index, const Leaving::Allocations& leaving, Judgement& judgement) const {
    judgement.reached(index);
    for (const auto& [id, running] : running_) {
      const auto buffer = buffers_.find(running.render);
      if (buffer == buffers_.end()) continue;
      for (const auto& [allocation, built] : leaving) {
        const char* const why = needs(buffer->second, allocation);
        if (why == nullptr || running.submitted > built) continue;
        judgement.fail(index,
                       "what a packet uses or its device requires is there until it has ended",
                       "packet " + std::to_string(id) + " has not, and " + why + " allocation " +
                           std::to_string(allocation) + ", which is taken out",
                       {running.submitted, built});
      }
    }
  }

 private:
  // See ResidencyStatus of reference/gpuva.
  enum class ResidencyAnswer : std::uint32_t { Ok, Pending };
  struct Buffer {
    std::uint32_t device = kNone;
    ScratchSet<std::uint32_t> uses;
  };
  struct Running {
    std::uint32_t render = kNone;
    std::uint32_t submitted = kNone;
  };
  // Null: the buffer needs the allocation in no way.
  [[nodiscard]] const char* needs(const Buffer& buffer, std::uint32_t allocation) const {
    if (buffer.uses.contains(allocation)) return "uses";
    const auto count = required_.find({buffer.device, allocation});
    return count != required_.end() && count->second != 0 ? "is of a device that requires"
                                                          : nullptr;
  }

  const Trace& trace_;
  using Required = std::pair<std::uint32_t, std::uint32_t>;  // device, allocation
  ScratchMap<std::uint32_t, Buffer> buffers_;                // by render
  ScratchMap<Required, std::uint32_t> required_;             // how often
  ScratchMap<std::uint32_t, Running> running_;               // by packet
  ScratchSet<std::uint32_t> early_;                          // ended before they were submitted
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const Leaving leaving(trace);
  InUse in_use(trace);
  for (const std::uint32_t index :
       trace.of_any<ev::BufferBuilt, ev::ResidencyAsked, ev::DeviceCreated, ev::AllocationCreated,
                    ev::Submitted, ev::PacketEnded, ev::PagingDone>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::BufferBuilt) in_use.on(index, trace.at<ev::BufferBuilt>(index));
    if (kind == EventKind::ResidencyAsked) in_use.on(index, trace.at<ev::ResidencyAsked>(index));
    if (kind == EventKind::DeviceCreated) in_use.on(trace.at<ev::DeviceCreated>(index));
    if (kind == EventKind::AllocationCreated) in_use.on(trace.at<ev::AllocationCreated>(index));
    if (kind == EventKind::PacketEnded) in_use.ends(trace.at<ev::PacketEnded>(index).packet);
    if (kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      const auto with = leaving.with_packet.find(packet.packet);
      if (packet.paging == 0) {
        in_use.begins(index, packet);
      } else if (with != leaving.with_packet.end()) {
        in_use.leave(index, with->second, judgement);
      }
    }
    if (kind != EventKind::PagingDone) continue;
    const auto at = leaving.at_event.find(index);
    if (at != leaving.at_event.end()) in_use.leave(index, at->second, judgement);
  }
}

#define THREE_ALLOCATIONS                                \
  "- residency: {required_only: true}\n"                 \
  "- create_context: {context: 1, node: 1}\n"            \
  "- create_allocation: {allocation: 1, place: local}\n" \
  "- create_allocation: {allocation: 2, place: local}\n" \
  "- create_allocation: {allocation: 3, place: local}\n"
// Until it has read what leaves: its commands are mapped first.
#define READS_AND_SPINS                        \
  "- render: {context: 1}\n"                   \
  "- bind: {slot: 1, allocation: 1}\n"         \
  "- bind: {slot: 2, allocation: 2}\n"         \
  "- copy: {slot: 2, source: 1, size: 4096}\n" \
  "- spin: {units: 4000}\n"                    \
  "- advance: {units: 50}\n"                   \
  "- advance: {units: 50}\n"                   \
  "- advance: {units: 50}\n"                   \
  "- advance: {units: 50}\n"

const Rule kRule{
    .id = "RES-011",
    .title = "What a device requires is not taken from it while it runs",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "With GPU virtual addresses a packet finds what its commands use, and all that its device "
        "requires, where it is mapped until it has ended: paging that takes such an allocation "
        "out of memory waits for that, on whatever engine the packet is.",
    .sources = "residency-overview.md # Overview",
    .note =
        "The half of RES-003 that WDDM 2.x has. An allocation is taken out by a TransferVirtual "
        "from a segment to system memory, or by UnmapApertureSegment. One that leaves without a "
        "copy, as its contents are saved already or lost anyway, is not seen to. That all is "
        "there when a packet is submitted is RES-012.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: an allocation is to leave while a packet on another engine reads it, and one that only the packet's device requires
ops:
)" THREE_ALLOCATIONS R"(
- require: {allocation: 1, count: 3}
- idle
)" READS_AND_SPINS R"(
- evict: {allocation: 1}
- idle
- make_resident: {allocation: 1}
- idle
)" READS_AND_SPINS R"(
- evict: {allocation: 3}
- idle
)",
    .control = R"(
about: what no packet uses and nobody requires leaves meanwhile
ops:
)" THREE_ALLOCATIONS R"(
- require: {allocation: 1, count: 2}
- make_resident: {allocation: 3}
- idle
)" READS_AND_SPINS R"(
- evict: {allocation: 3}
- idle
)",
    .fault = {.about = "an eviction by GPU virtual address waits for nobody",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::EvictWhileInUse}};

#undef THREE_ALLOCATIONS
#undef READS_AND_SPINS

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::res_011
