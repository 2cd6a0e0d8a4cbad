#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "fuzz/distill/candidate.h"
#include "fuzz/session/features.h"
#include "reference/trace/copied_entries.h"

namespace wddm::fuzz {
namespace {

// Kinds of features, in their two highest bits.
enum : std::uint32_t { kReached = 0, kHowOften = 1, kEvent = 2, kFollows = 3 };
constexpr std::uint32_t kReachedWorth = 12, kHowOftenWorth = 4;

std::uint32_t feature(std::uint32_t kind, std::uint32_t value) {
  return kind << 30 | (value & 0x3fffffff);
}

// Powers of two up to a few, as engines count.
std::uint32_t size_class(std::uint32_t count) {
  return std::min<std::uint32_t>(static_cast<std::uint32_t>(std::bit_width(count)), 4);
}

void add_clauses(const harness::Judged& judged, std::uint32_t configuration,
                 std::uint32_t addressing, std::vector<std::uint32_t>& features) {
  for (std::uint32_t rule = 0; rule < judged.rules.size(); ++rule) {
    const std::uint32_t reached = judged.rules[rule].reached;
    if (reached == 0) continue;
    features.push_back(feature(kReached, rule << 8 | configuration));
    for (std::uint32_t size = 1; size <= size_class(reached); ++size)
      features.push_back(feature(kHowOften, rule << 8 | size << 1 | addressing));
  }
}

// As fuzzers see them; those of clauses, which come first there, are counted above.
void add_events(const Trace& trace, const Scenario& scenario, std::uint32_t addressing,
                std::vector<std::uint32_t>& features) {
  std::array<std::uint8_t, kFeatures> counters{};
  count_features(trace, scenario, harness::Judged{}, counters);
  for (std::uint32_t i = 0; i < counters.size(); ++i) {
    if (counters[i] == 0) continue;
    features.push_back(feature(kEvent, i << 8 | addressing));
    if (counters[i] > 2) features.push_back(feature(kEvent, i << 8 | 2 | addressing));
  }
}

// Which event, and which call of the driver next; and which two calls came before it.
void add_sequences(const Trace& trace, std::uint32_t addressing,
                   std::vector<std::uint32_t>& features) {
  std::uint32_t before = 0, last = 0, event_before = 0;
  for (const Event& event : trace.events()) {
    if (event.kind != EventKind::DdiEntered) {
      event_before = static_cast<std::uint32_t>(event.kind);
      continue;
    }
    const std::uint32_t ddi = Trace::as<ev::DdiEntered>(event).ddi + 1;
    features.push_back(feature(kFollows, ddi << 20 | event_before << 4 | addressing));
    features.push_back(feature(kFollows, ddi << 20 | last << 12 | before << 4 | 2 | addressing));
    before = last;
    last = ddi;
  }
}

// What entries of page tables say and paging operations ask for, in the combinations that drivers
// tell apart: where it lies, of which size, in how many parts. kEvent with its highest bit set.
class Shapes {
 public:
  Shapes(std::uint32_t addressing, std::vector<std::uint32_t>& features)
      : addressing_(addressing), features_(features) {}

  void entries(const ev::TableUpdated& update, std::span<const EntryRecord> records) {
    for (const EntryRecord& record : records) {
      const bool peer = record.adapter != update.physical_adapter;
      put(1, {record.flags, peer, update.level, update.mode, update.flags & kInitialUpdate,
              update.physical_adapter});
    }
    put(2, {update.level, update.mode, update.flags, size_class(update.count),
            update.first % kPagesOf64KB != 0, (update.first + update.count) % kPagesOf64KB != 0});
  }
  void paging(const ev::PagingBuilt& built, const PagingArguments& asked) {
    put(3, {built.operation, size_class(built.pass), asked.source_segment,
            asked.destination_segment, asked.scattered, asked.offset != 0, asked.mdl_offset != 0});
    put(4, {built.operation, size_class(built.pass), asked.size % kLarge != 0, asked.size > kLarge,
            asked.source_address % kLarge != 0, asked.destination_address % kLarge != 0,
            built.status});
  }
  // Whether it repeats, meets or leaves the one before it.
  void flush(const ev::TlbFlushBuilt& flush) {
    const bool all = flush.end == 0;
    put(5, {all, flush.process == last_flush_.process, flush.start == last_flush_.start,
            flush.end == last_flush_.end, flush.physical_adapter,
            size_class(static_cast<std::uint32_t>((flush.end - flush.start) / kLarge))});
    last_flush_ = flush;
  }
  void copy(const ev::EntriesCopied& copied, std::size_t ranges) {
    put(6, {copied.level, size_class(static_cast<std::uint32_t>(ranges)), size_class(copied.count),
            copied.from_first != copied.to_first, copied.physical_adapter});
  }

 private:
  static constexpr std::uint32_t kInitialUpdate = 2, kPagesOf64KB = 16;
  static constexpr std::uint64_t kLarge = 64 << 10;

  void put(std::uint32_t what, std::initializer_list<std::uint32_t> values) {
    std::uint32_t hash = what * 0x9e3779b1u;
    for (const std::uint32_t value : values) hash = (hash ^ value) * 0x9e3779b1u + what;
    features_.push_back(feature(kEvent, 1u << 29 | hash >> 6 << 1 | addressing_));
  }

  std::uint32_t addressing_;
  std::vector<std::uint32_t>& features_;
  ev::TlbFlushBuilt last_flush_{};
};

void add_shapes(const Trace& trace, std::uint32_t addressing,
                std::vector<std::uint32_t>& features) {
  Shapes shapes(addressing, features);
  for (const std::uint32_t index :
       trace.of_any<ev::TableUpdated, ev::PagingBuilt, ev::TlbFlushBuilt, ev::EntriesCopied>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::TableUpdated) {
      shapes.entries(trace.at<ev::TableUpdated>(index), trace.blob<EntryRecord>(event));
    } else if (event.kind == EventKind::PagingBuilt) {
      const auto asked = trace.blob<PagingArguments>(event);
      if (!asked.empty()) shapes.paging(trace.at<ev::PagingBuilt>(index), asked.front());
    } else if (event.kind == EventKind::TlbFlushBuilt) {
      shapes.flush(trace.at<ev::TlbFlushBuilt>(index));
    } else {
      shapes.copy(trace.at<ev::EntriesCopied>(index), trace.blob<CopiedFrom>(event).size());
    }
  }
}

}  // namespace

std::vector<std::uint32_t> features_of(const Trace& trace, const Scenario& scenario,
                                       const harness::Judged& judged, std::uint32_t configuration,
                                       bool gpu_virtual) {
  const std::uint32_t addressing = gpu_virtual ? 1 : 0;
  std::vector<std::uint32_t> features;
  add_clauses(judged, configuration, addressing, features);
  add_events(trace, scenario, addressing, features);
  add_sequences(trace, addressing, features);
  add_shapes(trace, addressing, features);
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  return features;
}

const Rule* clause_of(std::uint32_t feature) {
  return feature >> 30 == kReached ? all_rules()[feature >> 8] : nullptr;
}

std::uint32_t worth_of(std::uint32_t feature) {
  switch (feature >> 30) {
    case kReached:
      return kReachedWorth;
    case kHowOften:
      return kHowOftenWorth;
    default:
      return 1;
  }
}

}  // namespace wddm::fuzz
