// PT-022: with PageTableUpdateRequireAddressSpaceIdle nothing of a process runs while its page
// tables are updated or its TLB is flushed. The other half of PT-016.

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/va/running_work.h"

namespace wddm::pt_022 {
namespace {

// Updates from the call that builds them to the end of their last packet. Those without a packet
// are over at once; those that the driver refused never begin.
class Changes {
 public:
  void built(std::uint32_t process, std::uint32_t index) { open_.push_back({process, index}); }
  void ended_oldest_of(std::uint32_t process) {
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].process != process) continue;
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }
  /// The event that built one of the process; kNone: there is none.
  [[nodiscard]] std::uint32_t of(std::uint32_t process) const {
    for (const Change& change : open_) {
      if (change.process == process) return change.built;
    }
    return kNone;
  }

 private:
  struct Change {
    std::uint32_t process, built;
  };
  ScratchVector<Change> open_;
};

class Walk {
 public:
  Walk(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::RootSet) work_.follow(trace_.at<ev::RootSet>(index));
    if (kind == EventKind::PacketEnded) work_.follow(trace_.at<ev::PacketEnded>(index));
    if (kind == EventKind::Submitted) submitted(index, trace_.at<ev::Submitted>(index));
    if (kind == EventKind::TableUpdated) {
      const auto update = trace_.at<ev::TableUpdated>(index);
      changes(index, update.process, "entries are updated");
      if ((update.status & 0x80000000u) == 0) updates_.built(update.process, index);
    }
    if (kind == EventKind::TlbFlushBuilt) {
      const auto flush = trace_.at<ev::TlbFlushBuilt>(index);
      changes(index, flush.process, "its TLB is flushed");
    }
    // Told of when it has been carried out.
    if (kind == EventKind::EntriesCopied) {
      changes(index, trace_.at<ev::EntriesCopied>(index).process, "entries are copied");
    }
    // What was under way is lost: with the adapter, or with a device that was pulled out.
    if (kind == EventKind::AdapterReset || kind == EventKind::DeviceStarted) updates_ = {};
    if (kind == EventKind::TableCompared) {
      updates_.ended_oldest_of(trace_.at<ev::TableCompared>(index).process);
    }
  }

 private:
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    work_.follow(index, packet);
    const auto running = work_.all().find(packet.packet);
    if (running == work_.all().end()) return;
    const std::uint32_t change = updates_.of(running->second.process);
    judgement_.reached(index);
    if (change == kNone) return;
    judgement_.fail(index, "contexts of a process run when its page tables are up to date",
                    "a packet is submitted before an update has been carried out", {change});
  }
  void changes(std::uint32_t index, std::uint32_t process, const char* what) {
    const RunningWork::Running* const running = work_.of_process(process);
    judgement_.reached(index);
    if (running == nullptr) return;
    judgement_.fail(
        index, "no packet of the process is on the GPU",
        std::string(what) + " while context " + std::to_string(running->context) + " runs",
        {running->submitted});
  }

  const Trace& trace_;
  Judgement& judgement_;
  RunningWork work_;
  Changes updates_;
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Walk walk(trace, judgement);
  for (const std::uint32_t index :
       trace
           .of_any<ev::RootSet, ev::Submitted, ev::PacketEnded, ev::TableUpdated, ev::TlbFlushBuilt,
                   ev::EntriesCopied, ev::TableCompared, ev::AdapterReset, ev::DeviceStarted>()) {
    walk.read(index);
  }
}

NotApplicable idle_updates(const Platform& platform) {
  if (const NotApplicable reason = virtual_rendering(platform)) return reason;
  return platform.gpu_mmu_caps.updates_need_idle() ? nullptr
                                                   : "PageTableUpdateRequireAddressSpaceIdle is 0";
}

const Rule kRule{
    .id = "PT-022",
    .title = "With PageTableUpdateRequireAddressSpaceIdle updates wait for an idle address space",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "Where PageTableUpdateRequireAddressSpaceIdle is set, all contexts that share an address "
        "space are suspended while its entries are changed or its TLB is flushed.",
    .sources = "ns-d3dkmddi-_dxgk_gpummucaps.md # PageTableUpdateRequireAddressSpaceIdle",
    .note = "What drivers that leave the capability clear must bear is PT-016.",
    .applies = idle_updates,
    .check = check,
    .played_in = {Configured::GpuVirtualUpdates},
    .scenario = R"(
about: another address is mapped while the process has work on the other engine
ops:
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- create_allocation: {allocation: 2, pages: 4, place: local}
- make_resident: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11111111}
- spin: {units: 2000}
- advance: {units: 1}
- map_address: {allocation: 2}
- idle
)",
    .control = R"(
about: the process is idle
ops:
- create_context: {context: 1, node: 1}
- create_allocation: {allocation: 1, pages: 4, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11111111}
- idle
- map_address: {allocation: 1}
- idle
)",
    .fault = {.about = "nothing waits for the packets of the process",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::UpdatesBesideRunningWork}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_022
