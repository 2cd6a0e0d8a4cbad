// VA-007: what is freed leads nowhere, and to the next one's pages once it is given out again.
//
// Judged are packets of the process behind a Free: those whose commands use what was freed, and
// those behind a Map of the same addresses for another allocation.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/submit/silent_engines.h"
#include "conformance/rules/va/space_history.h"

namespace wddm::va_007 {
namespace {

// Addresses that were freed, and what became of them.
struct Freed {
  std::uint64_t first = 0, end = 0;
  std::uint32_t process = kNone;
  std::uint32_t event = kNone;   // the Free
  std::uint32_t reused = kNone;  // the Map, if there was one
  std::uint32_t until = kNone;   // another process has that number from here on

  [[nodiscard]] bool meets(const ev::AddressAnswered& one) const {
    return one.process == process && one.address < end && first < one.address + one.size;
  }
};

class Reuse {
 public:
  explicit Reuse(const Trace& trace) {
    for (const std::uint32_t index : trace.of_any<ev::AddressAnswered, ev::ProcessCreated>()) {
      if (trace.events()[index].kind == EventKind::ProcessCreated) {
        const std::uint32_t process = trace.at<ev::ProcessCreated>(index).process;
        for (Freed& each : freed_) {
          if (each.process == process && each.until == kNone) each.until = index;
        }
        continue;
      }
      const auto one = trace.at<ev::AddressAnswered>(index);
      if (one.refused != 0) continue;
      if (one.request == static_cast<std::uint32_t>(AddressRequest::Free) && one.size != 0) {
        freed_.push_back({.first = one.base,
                          .end = one.base + one.size,
                          .process = one.process,
                          .event = index});
      }
      if (one.request != static_cast<std::uint32_t>(AddressRequest::Map)) continue;
      for (Freed& each : freed_) {
        if (each.until == kNone && each.reused == kNone && each.meets(one)) each.reused = index;
      }
    }
  }
  // The newest that the packet comes behind; null if there is none.
  [[nodiscard]] const Freed* before(const SpacePacket& packet) const {
    const Freed* found = nullptr;
    for (const Freed& each : freed_) {
      if (comes_behind(packet, each)) found = &each;
    }
    return found;
  }
  // ... whose addresses nobody has by then.
  [[nodiscard]] const Freed* unused_before(const SpacePacket& packet) const {
    const Freed* found = nullptr;
    for (const Freed& each : freed_) {
      if (comes_behind(packet, each) && each.reused >= packet.submitted) found = &each;
    }
    return found;
  }

 private:
  static bool comes_behind(const SpacePacket& packet, const Freed& freed) {
    return freed.process == packet.process && freed.event < packet.submitted &&
           packet.submitted < freed.until;
  }
  ScratchVector<Freed> freed_;
};

class Packets final : public SpaceObserver {
 public:
  Packets(const Trace& trace, const Reuse& reuse, Judgement& judgement)
      : trace_(trace), reuse_(reuse), judgement_(judgement) {}

  void submitted(const SpacePacket& packet, const SpacePacket&) override {
    packets_[packet.packet] = packet;
  }
  void shown(const SpaceSign& sign) override {
    if (sign.packet.context == kNone || wrong_before_.contains(sign.packet.process)) return;
    const Freed* const freed = reuse_.before(sign.packet);
    if (freed == nullptr) {
      if (sign.kind == SpaceSign::Kind::Memory) wrong_before_.insert(sign.packet.process);
      return;
    }
    const bool reused = freed->reused != kNone && freed->reused < sign.packet.submitted;
    if (sign.kind == SpaceSign::Kind::Right && reused) judgement_.reached(sign.event);
    if (sign.kind != SpaceSign::Kind::Memory) return;
    judgement_.reached(sign.event);
    fail_by(sign, judgement_,
            reused ? "addresses that were given out again lead to their new pages"
                   : "addresses that were freed lead nowhere",
            {freed->event, sign.packet.submitted});
  }
  // A packet that uses what is freed must not come to its end. One whose client has not waited may
  // fault on what is mapped.
  void marked(std::uint32_t index, const ev::MarkerRead& mark) {
    const auto packet = packets_.find(mark.packet);
    if (packet == packets_.end() || mark.expected != 0) return;
    if (mark.reason != static_cast<std::uint32_t>(MarkerReason::AtEnd)) return;
    const Freed* const freed = reuse_.unused_before(packet->second);
    if (freed == nullptr || packet->second.hurried) return;
    if (mark.runs == 0 && submit::memory_says_nothing(trace_, mark.packet, index)) return;
    judgement_.reached(index);
    if (mark.runs == 0) return;
    judgement_.fail(index, "an access to addresses that were freed faults",
                    "packet " + std::to_string(mark.packet) + " has run to its end",
                    {freed->event, packet->second.submitted});
  }

 private:
  const Trace& trace_;
  const Reuse& reuse_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, SpacePacket> packets_;
  ScratchSet<std::uint32_t> wrong_before_;  // processes whose packets do wrong without a Free
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const Reuse reuse(trace);
  Packets packets(trace, reuse, judgement);
  observe_spaces(trace, packets);
  for (const std::uint32_t index : trace.of<ev::MarkerRead>()) {
    packets.marked(index, trace.at<ev::MarkerRead>(index));
  }
}

// A driver for which entries that became invalid need no flush: the next ones come anyway.
class FlushesValidEntriesOnly final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE) {
      const auto& update = build->UpdatePageTable;
      if (update.PageTableLevel == 0 && !update.Flags.InitialUpdate) {
        invalid_ = update.pPageTableEntries[0].Valid == 0 && update.hAllocation != nullptr;
      }
    }
    if (build->Operation == DXGK_OPERATION_FLUSH_TLB && invalid_) return STATUS_SUCCESS;
    return Interposer::BuildPagingBuffer(adapter, build);
  }

 private:
  bool invalid_ = false;
};

const Rule kRule{
    .id = "VA-007",
    .title = "Freed addresses lead nowhere, and can be handed out again at once",
    .evidence = Evidence::Memory,
    .rule =
        "When FreeGpuVirtualAddress has returned, or the allocation is destroyed, an access to its "
        "addresses faults. They may be mapped anew at once, and then no translation of before "
        "reaches who has them now.",
    .sources =
        "nf-d3dkmthk-d3dkmtfreegpuvirtualaddress.md # remarks\n"
        "nc-d3dumddi-pfnd3dddi_freegpuvirtualaddresscb.md\n"
        "per-process-gpu-virtual-address-spaces.md # Application GPU virtual address space",
    .note =
        "What is queued for freed addresses, and then void, this host does not have: it carries "
        "out each request before it takes the next. Which addresses the commands of a packet name "
        "no event says: any packet of the process behind a Free is judged, unless one before did "
        "wrong already.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Pages64K},
    .scenario = R"(
about: an allocation gets the addresses that another had while its translations are warm
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- idle
- free_address: {allocation: 1}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 2048, value: 0x22222222}
- idle
- destroy_allocation: {allocation: 2}
- create_allocation: {allocation: 3, place: local}
- make_resident: {allocation: 3}
- render: {context: 1}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 1024, value: 0x33333333}
- idle
- free_address: {allocation: 3}
- render: {context: 1}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 512, value: 0x44444444}
- idle
)",
    .control = R"(
about: every allocation keeps its addresses
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- fill: {slot: 2, offset: 0, size: 2048, value: 0x22222222}
- idle
)",
    .fault = {.about = "no flush is written behind entries that became invalid",
              .interposer = [] { return std::unique_ptr<Interposer>(new FlushesValidEntriesOnly); },
              .also_fires = "MMU-012 RES-002 SUBMIT-015 VPAGE-004"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_007
