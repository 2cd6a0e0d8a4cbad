#include "conformance/host/vidmm/prediction/kept_shadow.h"

#include <algorithm>
#include <utility>

namespace wddm::host {
namespace {

KeptShadow g_kept;

}  // namespace

KeptShadow& kept_shadow() {
  return g_kept;
}

void KeptShadow::clear(const Residency& residency, std::uint32_t poisoned) {
  frames_.clear();
  std::vector<Shape> shapes;
  for (const SegmentId segment : residency.segments()) {
    shapes.push_back({residency.is_aperture(segment), residency.start_of_segment(segment),
                      residency.end_of_segment(segment)});
  }
  const auto same_kind = [](const Shape& one, const Shape& other) {
    return one.aperture == other.aperture && one.first == other.first;
  };
  if (!made_ ||
      !std::equal(shapes.begin(), shapes.end(), shapes_.begin(), shapes_.end(), same_kind)) {
    make(std::move(shapes));
  } else {
    for (std::uint32_t i = 0; i < shapes.size(); ++i) {
      if (shapes[i].pages == shapes_[i].pages) continue;
      shadow_.resize(SegmentId{i + 1}, shapes[i].pages - shapes[i].first);
      shapes_[i] = shapes[i];
    }
  }
  shadow_.clear(poisoned, memory::kUnusedWord);
}

void KeptShadow::make(std::vector<Shape> shapes) {
  shadow_ = {};
  shapes_ = std::move(shapes);
  made_ = true;
  shadow_.add_system(0, memory::FrameIndex::kMostFrames);
  for (std::uint32_t i = 0; i < shapes_.size(); ++i) {
    const auto [aperture, first, pages] = shapes_[i];
    if (aperture) {
      shadow_.add_aperture(SegmentId{i + 1}, pages);
    } else {
      shadow_.add_segment(SegmentId{i + 1}, pages - first, first);
    }
  }
}

}  // namespace wddm::host
