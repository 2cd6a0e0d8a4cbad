// PAGE-016: mapping and unmapping a part of an aperture does not disturb who uses another.
//
// Memory is compared when all is at rest: judged is the first comparison after both have gone on at
// once. What was wrong before says that the packets are at fault, not the aperture.

#include <d3dkmddi.h>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::page_016 {
namespace {

bool changes_aperture(std::uint32_t operation) {
  return operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT ||
         operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2 ||
         operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
}

class BesideWork {
 public:
  BesideWork(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void read(std::uint32_t index) {
    const Event& event = trace_.events()[index];
    if (compared_ && (event.kind == EventKind::Submitted || event.kind == EventKind::PagingBuilt)) {
      begin_again();
    }
    if (event.kind == EventKind::Submitted) {
      submitted(index, trace_.at<ev::Submitted>(index));
    } else if (event.kind == EventKind::PacketEnded) {
      ended(Trace::as<ev::PacketEnded>(event));
    } else if (event.kind == EventKind::PagingBuilt) {
      if (changes_aperture(Trace::as<ev::PagingBuilt>(event).operation)) built(index);
    } else if (event.kind == EventKind::MemoryChecked) {
      compared(index, trace_.at<ev::MemoryChecked>(index).differences);
    } else if (Trace::as<ev::Stuck>(event).excused == 0) {
      stuck(index);
    }
  }

 private:
  // One look at memory may be told in several events.
  void begin_again() {
    compared_ = unclear_ = false;
    beside_ = kNone;
  }
  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    if (packet.paging != 0) return;
    if (early_.erase(packet.packet) == 0) running_[packet.packet] = index;
  }
  // A driver may report a packet while it takes it.
  void ended(const ev::PacketEnded& packet) {
    if (packet.paging != 0) return;
    if (static_cast<PacketFate>(packet.fate) != PacketFate::Completed) unclear_ = true;
    if (running_.erase(packet.packet) == 0) early_.insert(packet.packet);
  }
  // Buffers of commands are mapped beside whatever runs, all the time: what goes wrong with those
  // is not by that.
  void built(std::uint32_t index) {
    if (running_.empty() || beside_ != kNone) return;
    const auto arguments = trace_.blob<PagingArguments>(trace_.events()[index]);
    if (!arguments.empty() && arguments.front().of_buffer != 0) return;
    beside_ = index;
    packet_ = running_.begin()->second;
  }
  void compared(std::uint32_t index, std::uint32_t differences) {
    if (beside_ == kNone) {
      broken_ |= differences != 0;
      unclear_ = false;  // all is at rest
      return;
    }
    if (!broken_ && !unclear_) {
      judgement_.reached(index);
      if (differences != 0) {
        fail(index, std::to_string(differences) + " ranges of memory are others");
      }
    }
    broken_ |= differences != 0;
    compared_ = true;
  }
  void stuck(std::uint32_t index) {
    if (beside_ != kNone && !compared_ && !broken_ && !unclear_) fail(index, "work came to a halt");
    broken_ = true;
  }
  void fail(std::uint32_t index, const std::string& seen) {
    judgement_.fail(index,
                    "packets that ran while other pages of the aperture were mapped or unmapped "
                    "do what they do alone",
                    seen, {packet_, beside_});
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, std::uint32_t> running_;  // Submitted, by packet
  ScratchSet<std::uint32_t> early_;                   // ended before they were submitted
  std::uint32_t beside_ = kNone;                      // PagingBuilt, since memory was compared
  std::uint32_t packet_ = kNone;                      // Submitted, of one that it met
  bool unclear_ = false;                              // a packet has not run to its end
  bool compared_ = false;
  bool broken_ = false;  // something was wrong before, or is now
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  BesideWork work(trace, judgement);
  for (const std::uint32_t index : trace.of_any<ev::Submitted, ev::PacketEnded, ev::PagingBuilt,
                                                ev::MemoryChecked, ev::Stuck>()) {
    work.read(index);
  }
}

NotApplicable apertures(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (const NotApplicable reason = running_commands(platform)) return reason;
  for (const PlatformSegment& segment : platform.segments) {
    if (segment.flags.aperture()) return nullptr;
  }
  return "no aperture segment: nothing is mapped";
}

// A driver that builds the aperture's page table anew, and has lost what lay before the range.
class BeginsAnew final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) {
      const auto range = build->UnmapApertureSegment;
      build->UnmapApertureSegment.OffsetInPages = 0;
      build->UnmapApertureSegment.NumberOfPages = range.OffsetInPages + range.NumberOfPages;
      const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
      build->UnmapApertureSegment = range;
      return status;
    }
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

const Rule kRule{
    .id = "PAGE-016",
    .title = "Changes of an aperture do not disturb its other users",
    .evidence = Evidence::Memory,
    .rule =
        "The GPU is not idle when MapApertureSegment and UnmapApertureSegment are built, and may "
        "be using other parts of the aperture: their entries are valid at every instant, and "
        "nothing that runs is held up or lost, whether the driver writes the entries itself or "
        "queues that.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Map aperture segment, Unmap aperture segment",
    .note =
        "Judged is what memory holds once all has ended, where packets ran while such an operation "
        "was built, and all was right before. What lies in no aperture can be disturbed as well: "
        "by a driver that stops or resets the engine.",
    .unreached =
        "pages of an aperture did not change beside work: with GPU virtual addresses only what is "
        "AccessedPhysically is mapped there",
    .applies = apertures,
    .check = check,
    .played_in = kPatchListConfigurations | ConfigurationSet{Configured::PhysicalAccess},
    .scenario = R"(
about: commands write through an aperture while other pages of it are mapped and unmapped
ops:
# Paging beside rendering, where there is a node for it; who does not read this pages on its own.
- configure: {setting: PagingNode, value: 1}
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 4, place: aperture}
- create_allocation: {allocation: 2, pages: 4, place: aperture}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- map_aperture: {page: 20, pages: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11111111}
- fill: {slot: 2, offset: 0, size: 16384, value: 0x22222222}
- idle
- page_ahead: {on: true}
- advance_inside: {point: 0, units: 3}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- bind: {slot: 2, allocation: 2}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x33333333}
- spin: {units: 50}
- fill: {slot: 2, offset: 0, size: 16384, value: 0x44444444}
- spin: {units: 50}
- copy: {slot: 1, source: 2, offset: 4096, size: 8192}
- advance: {units: 8}
- map_aperture: {page: 30, pages: 3}
- advance: {units: 20}
- unmap_aperture: {page: 20}
- advance: {units: 20}
- map_aperture: {page: 40, pages: 1}
- unmap_aperture: {page: 30}
- idle
)",
    .control = R"(
about: the aperture changes while nothing runs
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 4, place: aperture}
- make_resident: {allocation: 1}
- map_aperture: {page: 20, pages: 2}
- unmap_aperture: {page: 20}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 16384, value: 0x11111111}
- idle
)",
    .fault = {.about = "UnmapApertureSegment takes the pages before its range along",
              .interposer = [] { return std::unique_ptr<Interposer>(new BeginsAnew); },
              .also_fires = "SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_016
