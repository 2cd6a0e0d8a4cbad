// MmAllocatePagesForMdl(Ex): physical pages without an address.
//
// Left out: the lower address limit, SkipBytes, cache types.
#include <algorithm>
#include <cstring>
#include <vector>

#include "conformance/host/nt/memory/mdl_internal.h"
#include "conformance/host/nt/core/service.h"

namespace wddm::nt {
namespace {

using memory::Frame;

// Scattered frames lie above 4 GiB, some of them above 8 GiB.
constexpr std::uint64_t kScatteredEnd = 1ull << 34;

struct Pages {
  MDL* mdl;
  std::vector<Frame> frames;
};
std::vector<Pages> g_pages;

// Below the limit of scattered frames only contiguous ones are to be had, taken one by one.
std::vector<Frame> take_pages(std::uint64_t count, std::uint64_t highest, bool contiguous) {
  std::vector<Frame> frames;
  if (contiguous) {
    const Frame first =
        memory::frames_allocate_contiguous(count, memory::FrameOwner::Driver, highest);
    for (std::uint64_t i = 0; first && i < count; ++i) frames.push_back(first + i);
  } else if (highest >= kScatteredEnd) {
    frames.resize(std::min(count, memory::frames_available()));
    memory::frames_allocate(frames, memory::FrameOwner::Driver);
  } else {
    while (frames.size() < count) {
      const Frame one = memory::frames_allocate_contiguous(1, memory::FrameOwner::Driver, highest);
      if (!one) break;
      frames.push_back(one);
    }
  }
  return frames;
}

MDL* allocate_pages(const Service& service, PHYSICAL_ADDRESS high, SIZE_T bytes, ULONG flags) {
  const std::uint64_t wanted = BYTES_TO_PAGES(bytes);
  if (wanted == 0 || allocation_must_fail()) return nullptr;
  std::vector<Frame> frames =
      take_pages(wanted, static_cast<std::uint64_t>(high.QuadPart) | (PAGE_SIZE - 1),
                 (flags & MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS) != 0);
  const bool too_few = (flags & MM_ALLOCATE_FULLY_REQUIRED) && frames.size() < wanted;
  MDL* mdl = nullptr;
  if (!frames.empty() && !too_few)
    mdl = mdl_create(PoolOwner::Driver, nullptr, frames.size() * PAGE_SIZE,
                     {service.name(), service.caller()});
  if (!mdl) {
    memory::frames_free(frames);
    return nullptr;
  }
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (flags & MM_DONT_ZERO_ALLOCATION)
      std::memset(memory::frame_bytes_to_write(frames[i]), kPoisonAllocated, PAGE_SIZE);
    MmGetMdlPfnArray(mdl)[i] = frames[i];
  }
  mdl->ByteCount = static_cast<ULONG>(std::min<std::uint64_t>(bytes, frames.size() * PAGE_SIZE));
  mdl_set(mdl, MDL_PAGES_LOCKED);
  g_pages.push_back({mdl, std::move(frames)});
  return mdl;
}

}  // namespace

void mdl_pages_boot() {
  g_pages.clear();
}

std::uint32_t mdl_pages_left() {
  return static_cast<std::uint32_t>(g_pages.size());
}

}  // namespace wddm::nt

using namespace wddm::nt;

extern "C" {

PMDL MmAllocatePagesForMdl(PHYSICAL_ADDRESS, PHYSICAL_ADDRESS HighAddress, PHYSICAL_ADDRESS,
                           SIZE_T TotalBytes) {
  NT_SERVICE(MmAllocatePagesForMdl);
  return allocate_pages(service, HighAddress, TotalBytes, 0);
}

PMDL MmAllocatePagesForMdlEx(PHYSICAL_ADDRESS, PHYSICAL_ADDRESS HighAddress, PHYSICAL_ADDRESS,
                             SIZE_T TotalBytes, MEMORY_CACHING_TYPE, ULONG Flags) {
  NT_SERVICE(MmAllocatePagesForMdlEx);
  return allocate_pages(service, HighAddress, TotalBytes, Flags);
}

VOID MmFreePagesFromMdl(PMDL Mdl) {
  NT_SERVICE(MmFreePagesFromMdl);
  const auto found = std::find_if(g_pages.begin(), g_pages.end(),
                                  [&](const Pages& pages) { return pages.mdl == Mdl; });
  if (found == g_pages.end()) {
    service.report(FindingKind::BadParameter,
                   "not an MDL of MmAllocatePagesForMdl, or freed already");
    return;
  }
  if (mdl_unmap(Mdl)) service.report(FindingKind::BadParameter, "the pages are still mapped");
  wddm::memory::frames_free(found->frames);
  g_pages.erase(found);
  mdl_unset(Mdl, MDL_PAGES_LOCKED);
}

}  // extern "C"
