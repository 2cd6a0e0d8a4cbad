// Pages of apertures whose last map took several buffers, up to some call. That changes no byte: a
// Transfer to them shows where it has led them.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "conformance/rules/page/mapped_in_passes.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/trace.h"

namespace wddm::page {

class MappedInParts {
 public:
  explicit MappedInParts(const Trace& trace) : trace_(trace), calls_(trace.of<ev::PagingBuilt>()) {}

  void follow(std::uint32_t last_call) {
    for (; next_ < calls_.size() && calls_[next_] <= last_call; ++next_) {
      const Event& event = trace_.events()[calls_[next_]];
      const auto arguments = trace_.blob<PagingArguments>(event);
      if (!arguments.empty()) take(Trace::as<ev::PagingBuilt>(event), arguments.front());
    }
  }
  [[nodiscard]] bool some_of(const PagingArguments& to) const {
    for (std::uint32_t i = 0; i < to.pages && i < kMost && !pages_.empty(); ++i) {
      if (pages_.contains({to.destination_segment, to.page + i})) return true;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kMost = 65536;

  void take(const ev::PagingBuilt& call, const PagingArguments& of) {
    if (!redirects(call.operation)) return;
    const bool map = call.operation != DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
    for (std::uint32_t i = 0; i < of.pages && i < kMost; ++i) {
      const Page page{of.destination_segment, of.page + i};
      if (map && call.pass != 0) {
        pages_.insert(page);
      } else {
        pages_.erase(page);
      }
    }
  }

  using Page = std::pair<std::uint32_t, std::uint32_t>;  // SegmentId and page
  const Trace& trace_;
  std::span<const std::uint32_t> calls_;
  std::size_t next_ = 0;
  ScratchSet<Page> pages_;
};

}  // namespace wddm::page
