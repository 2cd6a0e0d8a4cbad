// VA-014: the paging fence of a device gets the value that a client was told for a request when the
// updates and flushes of the request have been executed, and its values rise. Windows' half of
// VA-008.
//
// Updates by the CPU are over when they are built. What a reset has taken is over for nobody, and
// what was asked for before it is not judged.

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::va_014 {
namespace {

class PagingFences {
 public:
  PagingFences(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void read(std::uint32_t index) {
    const EventKind kind = trace_.events()[index].kind;
    if (kind == EventKind::AddressAnswered) {
      const auto one = trace_.at<ev::AddressAnswered>(index);
      asked(index, one.device, one.paging_fence);
    } else if (kind == EventKind::ResidencyAsked) {
      const auto one = trace_.at<ev::ResidencyAsked>(index);
      asked(index, one.device, one.fence_value);
    } else if (kind == EventKind::TableUpdated) {
      updated(index, trace_.at<ev::TableUpdated>(index).status);
    } else if (kind == EventKind::TableCompared) {
      updates_.erase(trace_.at<ev::TableCompared>(index).update);
    } else if (kind == EventKind::PagingBuilt) {
      built(index, trace_.at<ev::PagingBuilt>(index));
    } else if (kind == EventKind::PagingDone) {
      // One that outlives the reset of another engine was forgotten.
      const bool flushed = trace_.at<ev::PagingDone>(index).operation == DXGK_OPERATION_FLUSH_TLB;
      if (flushed && flushes_ > 0) --flushes_;
    } else if (kind == EventKind::PacketEnded) {
      ended(trace_.at<ev::PacketEnded>(index));
    } else if (kind == EventKind::PagingFenceSignalled) {
      signalled(index, trace_.at<ev::PagingFenceSignalled>(index));
    } else if (kind == EventKind::DeviceCreated) {
      values_.erase(trace_.at<ev::DeviceCreated>(index).device);
    } else {
      if (kind == EventKind::DeviceStarted) values_.clear();
      forget();  // a start, a reset, or what comes to one
    }
  }

 private:
  struct Asked {
    std::uint32_t event = kNone;
    std::uint32_t device = kNone;
    std::uint64_t value = 0;
  };

  void forget() {
    asked_.clear();
    updates_.clear();
    flushes_ = 0;
  }
  void asked(std::uint32_t index, std::uint32_t device, std::uint64_t value) {
    if (value != 0) asked_.push_back({index, device, value});
  }
  void updated(std::uint32_t index, std::uint32_t status) {
    const std::uint32_t update = built_updates_++;
    const bool refused = (status & 0x80000000u) != 0;
    if (!refused) updates_[update] = index;
    last_update_ = index;
  }
  // Without a buffer nothing of it is left to be executed.
  void built(std::uint32_t index, const ev::PagingBuilt& one) {
    if (one.operation != DXGK_OPERATION_FLUSH_TLB || one.pass != 0 || one.given == 0) return;
    ++flushes_;
    last_flush_ = index;
  }
  void ended(const ev::PacketEnded& packet) {
    const auto fate = static_cast<PacketFate>(packet.fate);
    const bool as_usual = fate == PacketFate::Completed || fate == PacketFate::Preempted;
    if (packet.paging != 0 && !as_usual) forget();
  }
  void signalled(std::uint32_t index, const ev::PagingFenceSignalled& signal) {
    std::uint64_t& value = values_[signal.device];
    if (signal.value <= value) {
      judgement_.fail(index, "a value above " + std::to_string(value),
                      std::to_string(signal.value) + " of device " + std::to_string(signal.device));
    }
    value = signal.value;
    for (const Asked& one : asked_) {
      if (is_over(one, signal)) judge(index, one);
    }
    std::erase_if(asked_, [&](const Asked& one) { return is_over(one, signal); });
  }
  static bool is_over(const Asked& one, const ev::PagingFenceSignalled& signal) {
    return one.device == signal.device && one.value <= signal.value;
  }
  [[nodiscard]] bool follows(std::uint32_t index, const Asked& one) const {
    return index != kNone && index > one.event &&
           trace_.events()[index].thread == trace_.events()[one.event].thread;
  }
  // What came of a request its own thread has built.
  void judge(std::uint32_t index, const Asked& one) {
    if (!follows(last_update_, one) && !follows(last_flush_, one)) return;
    judgement_.reached(index);
    for (const auto& [update, built] : updates_) {
      if (!follows(built, one)) continue;
      return judgement_.fail(index, "all updates of the request executed",
                             "one of its paging packets has not ended", {one.event, built});
    }
    if (flushes_ <= 0 || !follows(last_flush_, one)) return;
    judgement_.fail(index, "all flushes of the request executed",
                    "one of its paging packets has not ended", {one.event, last_flush_});
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchVector<Asked> asked_;
  ScratchMap<std::uint32_t, std::uint32_t> updates_;  // TableUpdated, by its number
  ScratchMap<std::uint32_t, std::uint64_t> values_;   // by device
  std::uint32_t built_updates_ = 0;
  std::uint32_t last_update_ = kNone, last_flush_ = kNone;
  std::int64_t flushes_ = 0;  // that were built and are not executed
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  if (trace.of<ev::PagingFenceSignalled>().empty()) return;
  PagingFences fences(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::AddressAnswered, ev::ResidencyAsked, ev::TableUpdated, ev::TableCompared,
                    ev::PagingBuilt, ev::PagingDone, ev::PacketEnded, ev::PagingFenceSignalled,
                    ev::DeviceCreated, ev::DeviceStarted, ev::EngineReset, ev::AdapterReset,
                    ev::SurpriseRemoved, ev::Stuck>()) {
    fences.read(index);
  }
}

const Rule kRule{
    .id = "VA-014",
    .title = "A paging fence is signalled behind the work of its request",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "Where Windows answers a request to map or reserve addresses, or to make allocations "
        "resident, with a PagingFenceValue, the paging fence of the device gets that value when "
        "the paging packets with its updates and flushes have ended, and not before. The values of "
        "a fence rise.",
    .sources =
        "ns-d3dukmdt-d3dddi_mapgpuvirtualaddress.md # PagingFenceValue\n"
        "nc-d3dumddi-pfnd3dddi_mapgpuvirtualaddresscb.md # E_PENDING\n"
        "device-paging-queues.md",
    .note =
        "That the entries are there when these packets are reported is VA-008, and that a client "
        "waits for the value RES-006. Updates between draws go by monitored fences (VA-006).",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::GpuVirtualUpdates},
    .scenario = R"(
about: a client asks for memory and for addresses, request by request
ops:
- residency: {required_only: true}
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 3, place: local}
- create_allocation: {allocation: 2, pages: 3, place: local}
- require: {allocation: 1, count: 2}
- map_address: {allocation: 1, at: bit, bit: 26}
- reserve_address: {device: 0, base: 0x2000000, size: 0x10000}
- map_range: {allocation: 2, base: 0x2000000, pages: 3}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 12288, value: 0x11111111}
- copy: {slot: 2, source: 1, offset: 0, source_offset: 0, size: 12288}
- idle
)",
    .control = R"(
about: addresses of an allocation that is nowhere yet
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- map_address: {allocation: 1, at: bit, bit: 26}
- idle
)",
    .fault = {.about = "a paging fence is signalled when the work is queued",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::FenceAheadOfWork}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::va_014
