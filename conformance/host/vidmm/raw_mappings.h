// Ranges of apertures that a scenario maps itself, with system pages of no allocation behind
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conformance/host/vidmm/residency_in_effect.h"

namespace wddm::host {

class RawMappings {
 public:
  struct Mapping {
    SegmentId segment = kNoSegment;
    std::uint32_t page = 0, pages = 0;
    std::vector<memory::Frame> frames;
  };

  explicit RawMappings(Residency& residency) : residency_(residency) {}

  /// The adapter runs, or runs again after a reset: nothing is mapped. What lay in an aperture by
  /// then is kept for this run, that of the run before it is free for others.
  void begin();
  /// Takes pages of an aperture segment, and as many frames, one behind the other if asked for so:
  /// those that lay there at the end of the last run, if there are such. Null: VidMm uses some of
  /// the pages, or there are no such frames; nothing changed.
  [[nodiscard]] const Mapping* add(PlaceInSegment first, std::uint32_t pages, std::uint32_t frames,
                                   bool contiguous);
  /// What begins at a page, the latest of several apertures, or null.
  [[nodiscard]] const Mapping* at(std::uint32_t page) const;
  /// One of them, or null.
  [[nodiscard]] const Mapping* any() const {
    return mappings_.empty() ? nullptr : &mappings_.front();
  }
  /// Lets go of one that is there: VidMm may use its pages again. The frames are the caller's.
  [[nodiscard]] Mapping take(std::uint32_t page);

 private:
  /// Frames kept from the last run that fit; empty if there are none.
  [[nodiscard]] std::vector<memory::Frame> lay_there(PlaceInSegment first, std::uint32_t pages,
                                                     std::uint32_t frames, bool contiguous);

  Residency& residency_;
  std::vector<Mapping> mappings_;
  std::vector<Mapping> before_;  // of the last run
};

}  // namespace wddm::host
