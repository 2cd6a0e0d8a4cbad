// VA-002: MapGpuVirtualAddress counts pages of 4 KB, and gives the address that was asked for.
//
// Judged are the answers, and the entries that become valid behind one: they are written from the
// lowest address on, and whatever comes again, or is taken back, is of something later.

#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm {
namespace {

constexpr std::uint64_t kPage = 4096, kLargePage = 65536;

bool is(const ev::AddressAnswered& one, AddressRequest request) {
  return one.request == static_cast<std::uint32_t>(request);
}

std::string text(std::uint64_t value) {
  return std::to_string(value / kPage) + " pages";
}

// Null, or what is wrong about the address.
const char* wrong_address(const ev::AddressAnswered& one) {
  const auto aligned = [](std::uint64_t value) { return value % kPage == 0; };
  if (!aligned(one.base)) return "STATUS_INVALID_PARAMETER for a BaseAddress inside a page";
  if (one.base != 0) return one.address == one.base ? nullptr : "BaseAddress itself";
  if (!aligned(one.minimum) || !aligned(one.maximum)) {
    return "STATUS_INVALID_PARAMETER for limits inside pages";
  }
  const bool high_enough = one.address >= one.minimum;
  const bool low_enough = one.maximum == 0 || one.address + one.size <= one.maximum;
  return high_enough && low_enough ? nullptr : "an address within the limits";
}

// Entries that became valid for one request.
class Entries {
 public:
  void begin(std::uint32_t index, const ev::AddressAnswered& one) {
    event_ = index;
    asked_ = one;
    inside_ = outside_ = next_ = 0;
    unclear_ = later_ = false;
  }
  void follow(const Trace& trace, std::uint32_t index, const ev::TableUpdated& update) {
    if (event_ == kNone || later_ || update.process != asked_.process) return;
    const bool large = (update.flags & pt::kUse64KBPages) != 0;
    const std::uint64_t bytes = large ? kLargePage : kPage;
    const auto entries = trace.blob<EntryRecord>(trace.events()[index]);
    bool begun = false;  // this update maps what was asked for
    for (std::uint32_t i = 0; i < update.count && !entries.empty(); ++i) {
      const EntryRecord& entry = entries[entries.size() == 1 ? 0 : i];
      if (!pt::is_valid(entry)) {
        later_ |=
            update.allocation == asked_.allocation && (update.flags & pt::kInitialUpdate) == 0;
        continue;
      }
      if (update.level != 0) {
        unclear_ |= pt::is_zero(entry) || (entry.flags & entry_flag::kLargePage) != 0;
        continue;
      }
      if (update.allocation != asked_.allocation) continue;
      const std::uint64_t at = update.first_va + i * bytes;
      const bool within = at >= asked_.address && at + bytes <= asked_.address + asked_.size;
      // A leaf table of another page size takes over what its neighbours say already.
      if (!within && (update.flags & pt::kInitialUpdate) != 0) continue;
      later_ |= at < next_;
      if (later_) return;
      next_ = at + bytes;
      // Other updates beside it are of the allocation's other addresses.
      begun |= within;
      later_ |= !begun;
      if (later_) return;
      (within ? inside_ : outside_) += bytes;
      last_ = index;
    }
  }
  void end(Judgement& judgement) {
    if (event_ != kNone && !unclear_ && inside_ + outside_ != 0) {
      judgement.reached(event_);
      if (outside_ != 0 || inside_ != asked_.size) {
        judgement.fail(event_, text(asked_.size) + " mapped, and no other",
                       text(inside_) + " of them, and " + text(outside_) + " beside them", {last_});
      }
    }
    event_ = kNone;
  }

 private:
  std::uint32_t event_ = kNone;
  std::uint32_t last_ = kNone;
  ev::AddressAnswered asked_{};
  std::uint64_t inside_ = 0, outside_ = 0;  // bytes
  std::uint64_t next_ = 0;                  // behind the last
  bool unclear_ = false;                    // entries above the leaf say what pages are
  bool later_ = false;                      // what comes now is of another request
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Entries entries;
  for (const std::uint32_t index :
       trace.of_any<ev::AddressAnswered, ev::TableUpdated, ev::OpStarted, ev::Ended>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::TableUpdated) {
      entries.follow(trace, index, trace.at<ev::TableUpdated>(index));
      continue;
    }
    entries.end(judgement);
    if (event.kind != EventKind::AddressAnswered) continue;
    const auto one = trace.at<ev::AddressAnswered>(index);
    if (!is(one, AddressRequest::Map) || one.refused != 0) continue;
    judgement.reached(index);
    if (const char* const wanted = wrong_address(one)) {
      judgement.fail(index, wanted, std::to_string(one.address));
    }
    if (one.allocation != kNone) entries.begin(index, one);
  }
}

const Rule kRule{
    .id = "VA-002",
    .title = "Granularity and address choice of MapGpuVirtualAddress",
    .binds = Binds::Os,
    .evidence = Evidence::Boundary,
    .rule =
        "OffsetInPages and SizeInPages count pages of 4 KB, and as many entries become valid. With "
        "BaseAddress the mapping begins there and the limits do not count; without, it lies "
        "between "
        "MinimumAddress and MaximumAddress. Addresses inside a page are refused.",
    .sources =
        "gpu-virtual-address.md # introduction\n"
        "ns-d3dukmdt-d3dddi_mapgpuvirtualaddress.md\n"
        "gpummu-model.md",
    .note =
        "One page speaks of logical pages of 4 or 64 KB, another of a fixed 4 KB: numbers in "
        "requests are always of 4 KB.",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::Pages64K},
    .scenario = R"(
about: pages of an allocation at an address, between limits, at an address outside of them
ops:
- create_allocation: {allocation: 1, pages: 48, place: local}
- make_resident: {allocation: 1}
- map_range: {allocation: 1, at: base, base: 0x2000000, pages: 3, page: 2}
- map_range: {allocation: 1, at: limits, base: 0x2100000, pages: 3}
- map_range: {allocation: 1, at: base_and_limits, base: 0x2200000, pages: 2, page: 1}
- map_range: {allocation: 1, at: base, base: 0x2300800, pages: 1}
- map_range: {allocation: 1, at: limits, base: 0x2400800, pages: 1}
- idle
)",
    .control = R"(
about: an allocation at the address that it gets anyway
ops:
- create_allocation: {allocation: 1, pages: 3, place: local}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "sizes are taken for pages of 64 KB",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::MapLargeUnits}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
