#include "conformance/host/adapter/host_aperture.h"

#include <array>
#include <cstdint>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/memory.h"

namespace wddm::host {
namespace {

// Few, far apart, and in another order on either side.
constexpr std::uint32_t kPages = 3;

struct Pages {
  std::array<UINT32, kPages> window{};
  std::array<UINT64, kPages> memory{};
};

std::uint64_t word_for(std::uint64_t page, std::uint64_t offset) {
  return 0xA5C3'0000'0000'0000u | page << 16 | offset;
}

// Indices count pages of the segment.
std::uint64_t page_bytes(const SegmentDescription& segment) {
  return segment.flags.Use64KBPages != 0 ? 16 * kPageSize : kPageSize;
}

class Attempt {
 public:
  Attempt(const Adapter& adapter, Bus& bus, const SegmentDescription& segment, std::uint32_t id,
          std::uint32_t physical_adapter)
      : adapter_(adapter), bus_(bus), segment_(segment), page_(page_bytes(segment)) {
    seen_.segment = id;
    seen_.physical_adapter = physical_adapter;
    seen_.pages = kPages;
    seen_.first_wrong = kNone;
  }

  // What was written through one page of the window is read through another.
  ev::HostApertureMapped run() {
    const UINT32 last_window = segment_.host_aperture_pages - 1;
    const UINT64 last_page = segment_.size / page_ - 1;
    const Pages first{{last_window, 0, last_window / 2}, {last_page / 2, last_page, 0}};
    const Pages second{{0, last_window / 2, last_window}, {last_page, 0, last_page / 2}};
    if (!map(first)) return seen_;
    write(first);
    compare(first);
    unmap(first);
    if (!map(second)) return seen_;
    compare(second);
    unmap(second);
    return seen_;
  }

 private:
  [[nodiscard]] bool map(Pages pages) {
    DXGKARG_MAPCPUHOSTAPERTURE args{};
    args.SegmentId = static_cast<WORD>(seen_.segment);
    args.PhysicalAdapterIndex = static_cast<WORD>(seen_.physical_adapter);
    args.NumberOfPages = kPages;
    args.pCpuHostAperturePages = pages.window.data();
    args.pMemorySegmentPages = pages.memory.data();
    const NTSTATUS status = call_ddi<DdiId::MapCpuHostAperture>(kNone, adapter_.miniport(), &args);
    seen_.status = static_cast<std::uint32_t>(status);
    return NT_SUCCESS(status);
  }
  void unmap(Pages pages) {
    if (!may_call(DdiId::UnmapCpuHostAperture)) return;
    DXGKARG_UNMAPCPUHOSTAPERTURE args{};
    args.NumberOfPages = kPages;
    args.pCpuHostAperturePages = pages.window.data();
    args.SegmentId = static_cast<WORD>(seen_.segment);
    args.PhysicalAdapterIndex = static_cast<WORD>(seen_.physical_adapter);
    const NTSTATUS status =
        call_ddi<DdiId::UnmapCpuHostAperture>(kNone, adapter_.miniport(), &args);
    if (!NT_SUCCESS(status)) seen_.unmap_status = static_cast<std::uint32_t>(status);
  }
  [[nodiscard]] std::uint64_t at(UINT32 window, std::uint64_t offset) const {
    return segment_.host_aperture + window * page_ + offset;
  }
  void write(const Pages& pages) {
    for (std::uint32_t i = 0; i < kPages; ++i) {
      for (const std::uint64_t offset : kOffsets) {
        bus_.cpu_write(at(pages.window[i], offset), word_for(pages.memory[i], offset));
      }
    }
  }
  void compare(const Pages& pages) {
    for (std::uint32_t i = 0; i < kPages; ++i) {
      for (const std::uint64_t offset : kOffsets) {
        seen_.compared += sizeof(std::uint64_t);
        if (bus_.cpu_read(at(pages.window[i], offset)) == word_for(pages.memory[i], offset)) {
          continue;
        }
        seen_.wrong += sizeof(std::uint64_t);
        if (seen_.first_wrong == kNone) seen_.first_wrong = pages.window[i];
      }
    }
  }

  static constexpr std::array<std::uint64_t, 3> kOffsets{0, 0x808, kPageSize - 8};

  const Adapter& adapter_;
  Bus& bus_;
  const SegmentDescription& segment_;
  const std::uint64_t page_;
  ev::HostApertureMapped seen_{};
};

}  // namespace

void try_host_apertures(const Adapter& adapter, Bus& bus, std::uint32_t processes) {
  if (!may_call(DdiId::MapCpuHostAperture)) return;
  for (std::uint32_t gpu = 0; gpu < adapter.physical_adapters(); ++gpu) {
    std::uint32_t id = 0;
    for (const SegmentDescription& segment : adapter.segments(gpu)) {
      ++id;
      if (!segment.flags.SupportsCpuHostAperture || segment.host_aperture_pages < kPages) continue;
      if (segment.size / page_bytes(segment) < kPages) continue;
      ev::HostApertureMapped seen = Attempt(adapter, bus.of(gpu), segment, id, gpu).run();
      seen.processes = processes;
      session().tap(seen);
    }
  }
}

}  // namespace wddm::host
