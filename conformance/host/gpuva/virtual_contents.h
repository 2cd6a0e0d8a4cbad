// Contents of allocations, filled and moved through the windows of the paging process.
//
// Part by part, as large as the scenario chooses: each part maps its source and destination into
// the windows, flushes what was translated there, and is done. The GPU does all that in its order,
// so that parts follow each other in one buffer, and none waits for the one before it; but where
// the CPU writes the entries. A driver that refers to allocations by their place is told where they
// lie (NotifyResidency). Windows of transfers have pages of 64 KB where memory has, which the
// transfer says; a fill cannot say it, and goes through pages of 4 KB.
#pragma once

#include "conformance/host/gpuva/entry_pages.h"
#include "conformance/host/gpuva/tables/address_spaces.h"

namespace wddm::host {

class VirtualContents {
 public:
  VirtualContents(Adapter& adapter, const PagingScene& scene, AddressSpaces& spaces,
                  PagingQueue& queue, JobWaits& waits)
      : adapter_(adapter), scene_(scene), spaces_(spaces), queue_(queue), waits_(waits) {}

  /// Maps pages into the space of the paging process, `in_64kb_pages` where they are such.
  void show(gpummu::GpuVirtualAddress window, const PageRuns& pages, const Mapped& mapped,
            bool in_64kb_pages = false);

  // ---- Of a step.
  /// Zeros, or what lies elsewhere; then who wants to know is told that it is there.
  void bring_in(const vidmm::PagingStep& step);
  /// To system memory; who wants to know is told before.
  void take_out(const vidmm::PagingStep& step);
  /// NotifyResidency, for who wants to know.
  void tell(const vidmm::PagingStep& step, bool resident);

  // ---- As a scenario asks.
  /// Fills an allocation that lies in a memory segment.
  void fill_memory(AllocationId allocation, std::uint32_t pattern);
  /// Bytes of allocations that lie in these pages, from any byte on: as many as a window shows.
  /// Null, or why they are not reached.
  const char* fill_bytes(const Mapped& at, const PageRuns& pages, std::uint64_t bytes,
                         std::uint32_t pattern);
  const char* transfer_bytes(const Mapped& to, const PageRuns& to_pages, const Mapped& from,
                             const PageRuns& from_pages, std::uint64_t bytes);
  /// Copies between places of segments, with no allocation. Null, or why they are not reached: no
  /// document says that entries lead into apertures, and a driver need not be able to say so.
  const char* transfer(PlaceInSegment from, PlaceInSegment to, std::uint32_t pages);

  [[nodiscard]] PageRuns in_segment(const vidmm::PagingStep& step, std::uint32_t first,
                                    std::uint32_t pages) const;
  [[nodiscard]] PageRuns in_system(AllocationId allocation, std::uint32_t first,
                                   std::uint32_t pages) const;

 private:
  /// What lies in the memory of a GPU is filled and moved by that GPU.
  [[nodiscard]] std::uint32_t gpu_of(AllocationId allocation) const {
    return scene_.objects.allocation(allocation).physical_adapter;
  }
  // Where a part is shown, and in which pages.
  struct Shown {
    gpummu::GpuVirtualAddress at{};
    bool in_64kb_pages = false;
  };
  enum class Window : std::uint8_t { Source, Destination };
  // The pages that bytes of an allocation lie in, and how far in they begin.
  struct BytesInPages {
    PageRuns pages;
    Mapped mapped;
    std::uint64_t inside = 0;
  };
  // What a transfer reads and writes.
  struct Ways {
    PageRuns source, destination;
    Direction direction{};
  };

  void fill(const vidmm::PagingStep& step);
  void move(const vidmm::PagingStep& step);
  [[nodiscard]] std::uint32_t pages_at_once(std::uint32_t pages) const;
  [[nodiscard]] std::uint32_t window_pages() const;
  /// The windows may be mapped anew for the part that begins at this page.
  void wait_for_windows(std::uint32_t first);
  [[nodiscard]] Ways ways(const vidmm::PagingStep& step, std::uint32_t first,
                          std::uint32_t pages) const;
  /// Where these pages are shown in leaf tables of 4 KB pages.
  [[nodiscard]] gpummu::GpuVirtualAddress window_for(Window window, const PageRuns& shown) const;
  [[nodiscard]] std::uint64_t behind(gpummu::GpuVirtualAddress window, const PageRuns& pages) const;
  /// Shows a part that is moved: what lies in pages of 64 KB is mapped in such.
  [[nodiscard]] Shown show_part(Window window, const PageRuns& pages, const Mapped& mapped);
  /// A transfer between windows, and what it says of their pages.
  void queue_transfer(const PagingOperationPtr& transfer, const Shown& from, const Shown& to);
  [[nodiscard]] static BytesInPages pages_around(const Mapped& at, const PageRuns& pages,
                                                 std::uint64_t bytes);
  /// Shows them as parts are shown; where the bytes begin in the paging process.
  [[nodiscard]] Shown show_bytes(Window window, const BytesInPages& there);

  Adapter& adapter_;
  PagingScene scene_;
  AddressSpaces& spaces_;
  PagingQueue& queue_;
  JobWaits& waits_;
};

}  // namespace wddm::host
