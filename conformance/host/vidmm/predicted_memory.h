// What memory must hold now, and how it compares with what it does hold.
//
// Follows packets as they end: paging steps move contents, render commands change them. Compared
// are all pages of CPU-visible memory segments, the system pages behind allocations, and the dummy
// page; where one process runs many scenarios, those of them that anybody may have written to, or
// that are predicted anew. Pages that allocations left are overwritten with a pattern, so that a
// stale read shows in its result and a stale write shows in the page. Left out: segments the CPU
// cannot see, whose contents are judged when they are paged out.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/host/memory/frame_index.h"
#include "conformance/host/vidmm/paging_buffer.h"
#include "conformance/host/vidmm/residency_in_effect.h"
#include "reference/gpu/command.h"
#include "reference/gpu/shadow_memory.h"

namespace wddm::host {

class PredictedMemory {
 public:
  PredictedMemory(Adapter& adapter, Objects& objects, Residency& residency);

  void begin();
  void end();
  /// False if no more pages can be followed.
  [[nodiscard]] bool created(std::uint32_t slot);
  void forget(std::uint32_t slot);

  /// Paging was given up half-way: what memory holds can no longer be told until the next start.
  void lose_track() { lost_ = true; }
  /// Whether some commands of a buffer that ends later have run. What a buffer does is predicted
  /// at its end, so the places that its allocations leave before that hold unknown bytes.
  void commands_unfinished(bool unfinished) { unfinished_ = unfinished; }

  // What packets did, once they have ended.
  void apply(const PagingEffect& effect);
  void render_done(std::span<const gpu::Command> commands);
  /// A render that user mode has altered may have written anything to this allocation.
  void render_unknown(std::uint32_t slot);
  /// Writes through the CPU. False if the place is not visible to it.
  bool cpu_write(std::uint32_t slot, std::uint32_t offset, std::uint32_t value);

  /// Records what the allocation holds now, if the run is asked for it and the CPU can see it.
  void read_contents(std::uint32_t slot) const;
  /// The word as memory holds it now; kNone if the CPU cannot see it.
  [[nodiscard]] std::uint32_t word(std::uint32_t slot, std::uint32_t offset) const;
  /// Compares everything and records what differs. A difference is reported once.
  void check(const MemoryBlame& blame);

  [[nodiscard]] memory::Frame dummy_frame() const { return dummy_; }
  /// Whether the pages lie in their segment, and what they hold or map is known.
  [[nodiscard]] bool follows(std::uint32_t segment, std::uint32_t page, std::uint32_t pages) const;

 private:
  void on(const StepEffect& effect);
  void on(const PartEffect& effect);
  void on(const FillEffect& effect);
  void on(const TransferEffect& effect);
  /// What the pages hold is not followed where there are too many.
  void on(const MapEffect& effect);
  void on(const UnmapEffect& effect);
  void on(const DiscardEffect& effect);
  [[nodiscard]] gpu::Place place_of(std::uint32_t slot, std::uint64_t offset) const;
  /// What a page holds; null if the CPU cannot see it.
  [[nodiscard]] const std::uint8_t* actual(std::uint32_t segment, std::uint64_t page) const;
  /// The same where it is not null, for who is about to write to it. System memory counts as
  /// written then; of video memory the caller says so, unless he leaves it as reset() would.
  [[nodiscard]] std::uint8_t* actual_to_write(std::uint32_t segment, std::uint64_t page) const;
  [[nodiscard]] std::uint64_t address_of(std::uint32_t segment, std::uint64_t page) const;
  [[nodiscard]] bool lies_in_system_memory(std::uint32_t slot) const;
  /// Where a page of an allocation lies now; pages of system memory by their number.
  [[nodiscard]] PlaceInSegment place_of_page(std::uint32_t slot, std::uint64_t page) const;
  void expect_zeros(std::uint64_t index);
  void move(const gpu::Place& to, const gpu::Place& from, std::uint64_t size);
  void leave(std::uint32_t segment, std::uint32_t page, std::uint32_t pages);
  void report(const gpu::PageDifference& difference, const MemoryBlame& blame);
  [[nodiscard]] bool sees_all(std::uint32_t segment, std::uint32_t pages) const;
  void make_unused(std::uint32_t segment, std::uint32_t pages);
  [[nodiscard]] memory::Frame first_frame_of(std::uint32_t segment) const;
  [[nodiscard]] bool writes_known(std::uint32_t segment) const;
  [[nodiscard]] std::uint64_t followed_bytes() const;
  void look_again_at_what_was_written();
  [[nodiscard]] std::uint32_t owner_of(std::uint32_t segment, std::uint64_t page,
                                       std::uint32_t* page_of_allocation) const;

  Adapter& adapter_;
  Objects& objects_;
  Residency& residency_;
  gpu::ShadowMemory& shadow_;
  memory::FrameIndex& frames_;                   // of the system pages that are followed
  std::array<PlaceInSegment, kSlots + 1> at_{};  // where packets that ended have brought each
  std::array<std::vector<std::uint64_t>, kSlots + 1> indices_;  // system pages of each, by index
  memory::Frame dummy_ = 0;
  bool active_ = false;
  bool unfinished_ = false;
  bool lost_ = false;
};

}  // namespace wddm::host
