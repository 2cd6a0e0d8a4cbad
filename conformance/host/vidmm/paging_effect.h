// What a paging operation does to memory once its last packet has ended, as data.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "conformance/host/memory/memory.h"
#include "reference/vidmm/paging_step.h"

namespace wddm::host {

/// A step that VidMm decided on.
struct StepEffect {
  vidmm::PagingStep step;
};
/// A sub-transfer of a step, of `pages` pages from page `first` of the allocation on.
struct PartEffect {
  vidmm::PagingStep step;
  std::uint32_t first = 0, pages = 0;
};
/// A Fill of an allocation where it lies.
struct FillEffect {
  std::uint32_t slot = 0, pattern = 0;
};
/// A Transfer between places, with no allocation.
struct TransferEffect {
  std::uint32_t from_segment = 0, from_page = 0;
  std::uint32_t segment = 0, page = 0, pages = 0;
};
/// An aperture shows these system pages, with no allocation.
struct MapEffect {
  std::uint32_t segment = 0, page = 0;
  std::vector<memory::Frame> frames;
};
/// It shows the dummy page again; `unused` are free for others.
struct UnmapEffect {
  std::uint32_t segment = 0, page = 0, pages = 0;
  std::vector<memory::Frame> unused;
};
/// An allocation's contents are anything.
struct DiscardEffect {
  std::uint32_t slot = 0;
};

using PagingEffect = std::variant<StepEffect, PartEffect, FillEffect, TransferEffect, MapEffect,
                                  UnmapEffect, DiscardEffect>;

}  // namespace wddm::host
