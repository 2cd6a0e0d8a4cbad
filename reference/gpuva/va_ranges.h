// The GPU virtual address space of one process as a state machine: who has which addresses, and
// what their entries say.
//
// Sources: windows-driver-docs "GpuMmu model", "Tile resources", "Per-process GPU virtual address
// spaces"; pfnMapGpuVirtualAddressCb, pfnReserveGpuVirtualAddressCb, pfnUpdateGpuVirtualAddressCb,
// pfnFreeGpuVirtualAddressCb, DxgkCbReserveGpuVirtualAddressRange and the structures they take.
// Clauses VA-002..005, VA-007, PGSZ-006, PROC-002.
//
// A range is what one call of Map (into free addresses), Reserve or the driver obtained; it keeps
// its identity when parts of it are freed or mapped again. The rules:
//   1. Map takes addresses that are free, or lie inside one range (VA-003). Zero and NoAccess take
//      no allocation and no range that Map obtained; anything else takes an allocation.
//   2. Reserve takes free addresses in units of 64 KiB (VA-004).
//   3. All destinations of one Update lie in one range obtained by Reserve, all sources of its
//      copies in one such range, maybe another. It is done in order, or refused as a whole; a copy
//      reads all its sources before it writes (VA-005).
//   4. Free makes addresses free at once, and what is still queued for them void (VA-007).
//   5. The driver reserves during DxgkDdiCreateProcess only, in multiples of what one leaf table
//      covers, and none of root entry 0 (PROC-002).
//
// Readings, where the documents are silent or disagree:
//   a. Units of Map, Update and Free are 4 KiB always, those of Reserve 64 KiB. An allocation in
//      pages of 64 KiB gets, where the choice is ours, an address that agrees with its offset in
//      the low 16 bits (PGSZ-006), unless the limits leave only others: they promise nothing.
//   b. A range across two neighbouring ranges is refused: the text speaks of "a" range. Part of a
//      range may be freed.
//   c. The texts of Update say "reserved (zero)". Every type of reservation is taken here, and
//      entries that an Unmap left invalid may be mapped again. NO_COMMIT, which has no text, is
//      like NO_ACCESS.
//   d. Map.AllocationSizeInBytes "less than" SizeInBytes: equality is legal, because 0 means it.
//   e. When an allocation is destroyed, addresses that Map obtained become free; those in a
//      reservation return to the reservation's state, for it did not depend on the allocation.
//   f. In the driver's range the client maps (and frees, which makes entries invalid again) if
//      AllowUserModeMapping is set. The page of D3DKMTMapGpuVirtualAddress names this kind of range
//      where that of the callback names the client's own: both are taken.
//   g. Page 0 is never given out, since address 0 means none. "Root entry 0 is always invalid" is
//      read as a rule for driver reservations only.
//   h. An alignment of 0 is not a power of two, and a fixed base must have the alignment too.
//   i. A size of 0, and pages behind the end of the allocation, are refused. Write and Execute
//      beside Zero or NoAccess say nothing; Zero beside NoAccess is refused.
//   j. Limits that a base makes ignored may be unaligned as well.
// Leaves out: page tables and TLBs, fences (paging_queue.h), the companion's address space, peers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/gpuva/va_map.h"
#include "reference/gpuva/va_request.h"

namespace wddm::gpuva {

struct VaConfig {
  std::uint32_t address_bits = 48;  ///< DXGK_GPUMMUCAPS::VirtualAddressBitCount; 17 to 63
  /// What one leaf table covers, in bytes: 2^(12 + bits[0]).
  std::uint64_t leaf_coverage = std::uint64_t{1} << 21;
  /// What one entry of the root covers, in bytes; a multiple of `leaf_coverage`.
  std::uint64_t root_entry_coverage = std::uint64_t{1} << 39;
  std::size_t most_pieces = std::size_t{1} << 24;  ///< of a space: the model's own limit
};

/// Where a range came from.
enum class RangeOrigin : std::uint8_t { Never, Map, Reserve, Driver };

class VaRanges {
 public:
  explicit VaRanges(const VaConfig& config);

  /// Takes one request; gives what follows, in order. Valid until the next call.
  [[nodiscard]] std::span<const VaDecision> step(const VaInput& input);

  // ---- Questions.
  /// What the entry of this page says once all that is queued has been done; nothing if it is free.
  [[nodiscard]] std::optional<PageState> entry(GpuVirtualAddress address) const;
  /// How the range that the page lies in was obtained; nothing if it is free.
  [[nodiscard]] std::optional<RangeOrigin> origin(GpuVirtualAddress address) const;
  /// Whether VidMm might choose these addresses for a request without a base. They are in its
  /// limits, aligned, and free; the choice made here is the lowest such.
  [[nodiscard]] bool is_free(GpuVirtualAddress address, std::uint64_t pages) const;
  [[nodiscard]] const VaMap& map() const { return map_; }

  /// Checks every invariant; a breach is a HARNESS error. O(n).
  void validate() const;

 private:
  struct Range {
    RangeOrigin origin = RangeOrigin::Never;
    bool client_may_map = false;
    std::uint64_t pages = 0;  // that are not freed; 0: the slot is unused
    PageState state{};        // where nothing is mapped
  };
  struct Span {
    std::uint64_t page = 0;
    std::uint64_t pages = 0;
  };
  /// Where an allocation has been mapped; some of it may be something else by now.
  struct MappedAt {
    std::vector<Span> spans;
    std::size_t tidy_at = 16;  // spans
  };
  struct Where {
    bool free = false;
    std::optional<VaRangeId> range;  // that holds all of it
  };
  using Refusal = std::optional<VaRefusal>;

  void on(const MapGpuVirtualAddress& input);
  void on(const ReserveGpuVirtualAddress& input);
  void on(const FreeGpuVirtualAddress& input);
  void on(const UpdateGpuVirtualAddress& input);
  void on(const ReserveForDriver& input);
  void on(const EndOfCreation& input);
  void on(const DestroyAllocation& input);

  // Checks; each gives the first reason to refuse.
  [[nodiscard]] Refusal check_span(GpuVirtualAddress base, std::uint64_t size,
                                   std::uint64_t unit) const;
  [[nodiscard]] Refusal check(const MapGpuVirtualAddress& input) const;
  [[nodiscard]] Refusal check(const ReserveForDriver& input) const;
  [[nodiscard]] Refusal check(const UpdateMap& operation) const;
  [[nodiscard]] Refusal check(const UpdateUnmap& operation) const;
  [[nodiscard]] Refusal check(const UpdateCopy& operation) const;
  [[nodiscard]] Refusal check_reserved(GpuVirtualAddress base, std::uint64_t size,
                                       std::optional<VaRangeId>& reservation) const;

  [[nodiscard]] Where where(std::uint64_t page, std::uint64_t pages) const;
  [[nodiscard]] std::optional<std::uint64_t> choose(const MapGpuVirtualAddress& input) const;
  [[nodiscard]] VaRangeId open_range(const Range& range);
  void release(std::uint64_t page, std::uint64_t pages);
  void set(std::uint64_t page, std::uint64_t pages, VaRangeId range, const PageState& state);
  void apply(const UpdateMap& operation);
  void apply(const UpdateUnmap& operation);
  void apply(const UpdateCopy& operation);
  void remember(const Span& span, AllocationId allocation);
  [[nodiscard]] bool maps(const Span& span, AllocationId allocation) const;
  void refuse(VaRefusal why, std::size_t operation = 0);

  VaConfig config_;
  bool creating_ = true;
  VaMap map_;
  std::vector<Range> ranges_;
  std::vector<VaRangeId> unused_;
  std::vector<MappedAt> mapped_at_;  // by allocation id
  std::vector<VaDecision> decisions_;
  std::vector<Piece> scratch_;
};

}  // namespace wddm::gpuva
