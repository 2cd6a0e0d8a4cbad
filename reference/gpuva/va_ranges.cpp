// See va_ranges.h for the rules and readings. UpdateGpuVirtualAddress is in va_update.cpp.
#include "reference/gpuva/va_ranges.h"

#include <algorithm>
#include <bit>

#include "reference/harness_assert.h"

namespace wddm::gpuva {
namespace {

constexpr std::uint64_t kNeverGivenOut = 1;  // pages; reading g
constexpr VaRangeId kNever{0};
constexpr std::uint32_t kMostAllocations = 1u << 24;

constexpr Protection kNoMapping = kProtectZero | kProtectNoAccess;

PageState state_of(const MapGpuVirtualAddress& input) {
  PageState state{.driver_protection = input.driver_protection};
  if (!input.allocation) {
    state.kind = (input.protection & kProtectZero) != 0 ? PageKind::Zero : PageKind::Invalid;
    return state;
  }
  state.kind = PageKind::Mapped;
  state.write = (input.protection & kProtectWrite) != 0;
  state.execute = (input.protection & kProtectExecute) != 0;
  state.allocation = input.allocation->id;
  state.first_page = input.offset_pages;
  return state;
}

}  // namespace

VaStatus status_of(VaRefusal refusal) {
  const bool no_memory = refusal == VaRefusal::NoRoom || refusal == VaRefusal::TooManyPieces;
  return no_memory ? VaStatus::NoMemory : VaStatus::InvalidParameter;
}

VaRanges::VaRanges(const VaConfig& config)
    : config_(config),
      map_((std::uint64_t{1} << config.address_bits) / kPageSize, kNeverGivenOut, kNever) {
  HARNESS_ASSERT(config.address_bits >= 17 && config.address_bits <= 63);
  HARNESS_ASSERT(config.leaf_coverage >= kPageSize && std::has_single_bit(config.leaf_coverage));
  HARNESS_ASSERT(is_multiple(config.root_entry_coverage, config.leaf_coverage));
  ranges_.push_back({.origin = RangeOrigin::Never, .pages = kNeverGivenOut});
}

std::span<const VaDecision> VaRanges::step(const VaInput& input) {
  decisions_.clear();
  std::visit([this](const auto& request) { on(request); }, input);
  return decisions_;
}

// ---- Questions.

std::optional<PageState> VaRanges::entry(GpuVirtualAddress address) const {
  const Piece* piece = map_.find(page_of(address));
  if (piece == nullptr) return std::nullopt;
  return piece->state.behind(page_of(address) - piece->page);
}

std::optional<RangeOrigin> VaRanges::origin(GpuVirtualAddress address) const {
  const Piece* piece = map_.find(page_of(address));
  return piece == nullptr ? std::nullopt : std::optional(ranges_[piece->range.value].origin);
}

bool VaRanges::is_free(GpuVirtualAddress address, std::uint64_t pages) const {
  const std::uint64_t page = page_of(address);
  return page < map_.pages() && pages <= map_.pages() - page && map_.is_free(page, pages);
}

/// The addresses lie in the space, and are not empty.
VaRanges::Where VaRanges::where(std::uint64_t page, std::uint64_t pages) const {
  if (map_.is_free(page, pages)) return {.free = true, .range = {}};
  Where result;
  std::uint64_t next = page;
  map_.visit_in(page, pages, [&](const Piece& piece) {
    const bool same = piece.page == next && (next == page || result.range == piece.range);
    result.range = same ? std::optional(piece.range) : std::nullopt;
    next = piece.end();
    return same;
  });
  if (next != page + pages) result.range.reset();
  return result;
}

// ---- Map and Reserve.

VaRanges::Refusal VaRanges::check_span(GpuVirtualAddress base, std::uint64_t size,
                                       std::uint64_t unit) const {
  if (size == 0) return VaRefusal::NoSize;
  if (!is_multiple(base, unit) || !is_multiple(size, unit)) return VaRefusal::Unaligned;
  const std::uint64_t page = page_of(base);
  const bool inside =
      page >= kNeverGivenOut && page < map_.pages() && size / kPageSize <= map_.pages() - page;
  return inside ? Refusal{} : VaRefusal::OutsideSpace;
}

VaRanges::Refusal VaRanges::check(const MapGpuVirtualAddress& input) const {
  Protection allowed = kProtectWrite | kProtectExecute | kNoMapping;
  if (input.context_allocation) allowed |= kProtectSystemUseOnly;
  if ((input.protection & ~allowed) != 0) return VaRefusal::BadProtection;
  if ((input.protection & kNoMapping) == kNoMapping) return VaRefusal::BadProtection;
  const bool no_mapping = (input.protection & kNoMapping) != 0;
  if (no_mapping && input.allocation) return VaRefusal::TakesNoAllocation;
  if (!no_mapping && !input.allocation) return VaRefusal::NeedsAllocation;
  if (input.size_pages == 0) return VaRefusal::NoSize;
  if (input.allocation) {
    const std::uint64_t size = input.allocation->size_pages;
    const bool inside = input.offset_pages < size && input.size_pages <= size - input.offset_pages;
    if (!inside) return VaRefusal::OutsideAllocation;
  }
  if (input.base.value == 0) {
    const bool aligned =
        is_multiple(input.minimum, kPageSize) && is_multiple(input.maximum, kPageSize);
    return aligned ? Refusal{} : VaRefusal::Unaligned;
  }
  if (input.size_pages > map_.pages()) return VaRefusal::OutsideSpace;
  return check_span(input.base, input.size_pages * kPageSize, kPageSize);
}

/// Reading a.
std::optional<std::uint64_t> VaRanges::choose(const MapGpuVirtualAddress& input) const {
  Placing placing{.pages = input.size_pages,
                  .first = page_of(input.minimum),
                  .end = input.maximum.value == 0 ? map_.pages() : page_of(input.maximum)};
  if (input.allocation && input.allocation->pages_64k) {
    placing.alignment = kPagesPer64K;
    placing.phase = input.offset_pages % kPagesPer64K;
    if (const auto page = map_.lowest_fit(placing)) return page;
    placing.alignment = 1;
    placing.phase = 0;
  }
  return map_.lowest_fit(placing);
}

void VaRanges::on(const MapGpuVirtualAddress& input) {
  if (const Refusal why = check(input)) return refuse(*why);
  if (map_.piece_count() + 2 > config_.most_pieces) return refuse(VaRefusal::TooManyPieces);
  const bool chosen = input.base.value == 0;
  const auto page = chosen ? choose(input) : std::optional(page_of(input.base));
  if (!page) return refuse(VaRefusal::NoRoom);
  const Where there = where(*page, input.size_pages);
  std::optional<VaRangeId> range = there.range;
  if (there.free) {
    range = open_range({.origin = RangeOrigin::Map,
                        .client_may_map = !input.context_allocation,
                        .pages = input.size_pages});
  } else {
    if (input.context_allocation) return refuse(VaRefusal::InUse);
    if (!range) return refuse(VaRefusal::NotOneRange);
    const Range& within = ranges_[range->value];
    if (!within.client_may_map) return refuse(VaRefusal::DriversOwn);
    if (!input.allocation && within.origin == RangeOrigin::Map) return refuse(VaRefusal::FromMap);
  }
  decisions_.emplace_back(Placed{address_of(*page), input.size_pages});
  set(*page, input.size_pages, *range, state_of(input));
}

void VaRanges::on(const ReserveGpuVirtualAddress& input) {
  if (input.type > kReserveNoCommit) return refuse(VaRefusal::BadType);
  const std::uint64_t pages = input.size / kPageSize;
  std::optional<std::uint64_t> page;
  if (input.base.value != 0) {
    if (const Refusal why = check_span(input.base, input.size, kPageSize64K)) return refuse(*why);
    page = page_of(input.base);
    if (!map_.is_free(*page, pages)) return refuse(VaRefusal::InUse);
  } else {
    if (input.size == 0) return refuse(VaRefusal::NoSize);
    const bool aligned = is_multiple(input.size, kPageSize64K) &&
                         is_multiple(input.minimum, kPageSize64K) &&
                         is_multiple(input.maximum, kPageSize64K);
    if (!aligned) return refuse(VaRefusal::Unaligned);
    page =
        map_.lowest_fit({.pages = pages,
                         .alignment = kPagesPer64K,
                         .first = page_of(input.minimum),
                         .end = input.maximum.value == 0 ? map_.pages() : page_of(input.maximum)});
    if (!page) return refuse(VaRefusal::NoRoom);
  }
  if (map_.piece_count() + 2 > config_.most_pieces) return refuse(VaRefusal::TooManyPieces);
  const PageState state{.kind = input.type == kReserveZero ? PageKind::Zero : PageKind::Invalid,
                        .driver_protection = input.driver_protection};
  const VaRangeId range = open_range(
      {.origin = RangeOrigin::Reserve, .client_may_map = true, .pages = pages, .state = state});
  decisions_.emplace_back(Placed{address_of(*page), pages});
  set(*page, pages, range, state);
}

VaRanges::Refusal VaRanges::check(const ReserveForDriver& input) const {
  if (!creating_) return VaRefusal::OutsideCreateProcess;
  if (input.size == 0) return VaRefusal::NoSize;
  const bool aligned = is_multiple(input.size, config_.leaf_coverage) &&
                       is_multiple(input.base, config_.leaf_coverage) &&
                       is_multiple(input.alignment, config_.leaf_coverage) &&
                       std::has_single_bit(input.alignment) &&
                       is_multiple(input.base, input.alignment);
  if (!aligned) return VaRefusal::Unaligned;
  if (input.base.value == 0) return {};
  if (input.base.value < config_.root_entry_coverage) return VaRefusal::RootEntryZero;
  return check_span(input.base, input.size, config_.leaf_coverage);
}

void VaRanges::on(const ReserveForDriver& input) {
  if (const Refusal why = check(input)) return refuse(*why);
  const std::uint64_t pages = input.size / kPageSize;
  std::optional<std::uint64_t> page;
  if (input.base.value != 0) {
    page = page_of(input.base);
    if (!map_.is_free(*page, pages)) return refuse(VaRefusal::InUse);
  } else {
    page = map_.lowest_fit({.pages = pages,
                            .alignment = input.alignment / kPageSize,
                            .first = config_.root_entry_coverage / kPageSize,
                            .end = map_.pages()});
    if (!page) return refuse(VaRefusal::NoRoom);
  }
  const VaRangeId range = open_range({.origin = RangeOrigin::Driver,
                                      .client_may_map = input.allow_user_mode_mapping,
                                      .pages = pages});
  decisions_.emplace_back(Placed{address_of(*page), pages});
  set(*page, pages, range, {});
}

void VaRanges::on(const EndOfCreation&) {
  HARNESS_ASSERT(creating_);
  creating_ = false;
}

// ---- Free and destroy.

void VaRanges::on(const FreeGpuVirtualAddress& input) {
  if (const Refusal why = check_span(input.base, input.size, kPageSize)) return refuse(*why);
  const std::uint64_t page = page_of(input.base);
  const std::uint64_t pages = input.size / kPageSize;
  const Where there = where(page, pages);
  if (!there.range) return refuse(VaRefusal::NotObtained);
  const Range& range = ranges_[there.range->value];
  if (!range.client_may_map) return refuse(VaRefusal::DriversOwn);
  decisions_.emplace_back(IgnoreQueued{input.base, pages});
  if (range.origin == RangeOrigin::Driver) return set(page, pages, *there.range, range.state);
  release(page, pages);
}

/// Reading e.
void VaRanges::on(const DestroyAllocation& input) {
  if (input.allocation.value >= mapped_at_.size()) return;
  MappedAt& mapped = mapped_at_[input.allocation.value];
  for (const Span& span : mapped.spans) {
    scratch_.clear();
    map_.visit_in(span.page, span.pages, [&](const Piece& piece) {
      const PageState& state = piece.state;
      if (state.kind == PageKind::Mapped && state.allocation == input.allocation) {
        scratch_.push_back(piece);
      }
      return true;
    });
    for (const Piece& piece : scratch_) {
      const Range& range = ranges_[piece.range.value];
      decisions_.emplace_back(IgnoreQueued{address_of(piece.page), piece.pages});
      if (range.origin == RangeOrigin::Map) {
        release(piece.page, piece.pages);
      } else {
        set(piece.page, piece.pages, piece.range, range.state);
      }
    }
  }
  mapped = {};
}

// ---- Movement.

VaRangeId VaRanges::open_range(const Range& range) {
  if (unused_.empty()) {
    ranges_.push_back(range);
    return {static_cast<std::uint32_t>(ranges_.size() - 1)};
  }
  const VaRangeId id = unused_.back();
  unused_.pop_back();
  ranges_[id.value] = range;
  return id;
}

/// Makes pages of one range free; a range that has none left is gone.
void VaRanges::release(std::uint64_t page, std::uint64_t pages) {
  const Piece* piece = map_.find(page);
  HARNESS_ASSERT(piece != nullptr);
  const VaRangeId id = piece->range;
  map_.erase(page, pages);
  Range& range = ranges_[id.value];
  HARNESS_ASSERT(range.pages >= pages && id != kNever);
  range.pages -= pages;
  if (range.pages == 0) unused_.push_back(id);
  decisions_.emplace_back(SetEntries{address_of(page), pages, {}});
}

void VaRanges::set(std::uint64_t page, std::uint64_t pages, VaRangeId range,
                   const PageState& state) {
  map_.assign({page, pages, range, state});
  decisions_.emplace_back(SetEntries{address_of(page), pages, state});
  if (state.kind == PageKind::Mapped) remember({page, pages}, state.allocation);
}

bool VaRanges::maps(const Span& span, AllocationId allocation) const {
  bool found = false;
  map_.visit_in(span.page, span.pages, [&](const Piece& piece) {
    found = piece.state.kind == PageKind::Mapped && piece.state.allocation == allocation;
    return !found;
  });
  return found;
}

/// Keeps the list of an allocation below twice what it needs.
void VaRanges::remember(const Span& span, AllocationId allocation) {
  HARNESS_ASSERT(allocation.value < kMostAllocations);
  if (allocation.value >= mapped_at_.size()) mapped_at_.resize(allocation.value + 1);
  MappedAt& mapped = mapped_at_[allocation.value];
  std::vector<Span>& spans = mapped.spans;
  spans.push_back(span);
  if (spans.size() < mapped.tidy_at) return;
  std::ranges::sort(spans, {}, &Span::page);
  std::size_t kept = 0;
  for (const Span& next : spans) {
    if (!maps(next, allocation)) continue;
    Span* last = kept == 0 ? nullptr : &spans[kept - 1];
    if (last != nullptr && next.page <= last->page + last->pages) {
      last->pages = std::max(last->page + last->pages, next.page + next.pages) - last->page;
    } else {
      spans[kept++] = next;
    }
  }
  spans.resize(kept);
  mapped.tidy_at = std::max<std::size_t>(16, 2 * kept);
}

void VaRanges::refuse(VaRefusal why, std::size_t operation) {
  decisions_.clear();
  decisions_.emplace_back(VaRefused{why, operation});
}

void VaRanges::validate() const {
  map_.validate();
  std::vector<std::uint64_t> pages(ranges_.size(), 0);
  map_.visit_in(0, map_.pages(), [&](const Piece& piece) {
    HARNESS_ASSERT(piece.range.value < ranges_.size());
    pages[piece.range.value] += piece.pages;
    if (piece.state.kind != PageKind::Mapped) return true;
    const MappedAt& mapped = mapped_at_.at(piece.state.allocation.value);
    const auto covers = [&](const Span& span) {
      return span.page < piece.end() && piece.page < span.page + span.pages;
    };
    HARNESS_ASSERT(std::ranges::any_of(mapped.spans, covers));
    return true;
  });
  std::size_t unused = 0;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    HARNESS_ASSERT(ranges_[i].pages == pages[i]);
    unused += ranges_[i].pages == 0 ? 1 : 0;
  }
  HARNESS_ASSERT(unused == unused_.size());
}

}  // namespace wddm::gpuva
