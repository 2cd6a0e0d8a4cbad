#include "conformance/host/gpuva/gpu_of_range.h"

#include <algorithm>

namespace wddm::host {

void GpuOfRange::set(ProcessId process, const gpummu::VaRange& range,
                     std::optional<std::uint32_t> gpu) {
  const std::uint64_t first = range.first.value, end = range.end();
  std::vector<One> kept;
  for (const One& one : all_) {
    if (one.process != process || one.end <= first || end <= one.first) {
      kept.push_back(one);
      continue;
    }
    if (one.first < first) kept.push_back({process, one.first, first, one.gpu});
    if (end < one.end) kept.push_back({process, end, one.end, one.gpu});
  }
  if (gpu) kept.push_back({process, first, end, *gpu});
  all_ = std::move(kept);
}

std::optional<std::uint32_t> GpuOfRange::of(ProcessId process,
                                            gpummu::GpuVirtualAddress address) const {
  for (const One& one : all_) {
    if (one.process == process && one.first <= address.value && address.value < one.end) {
      return one.gpu;
    }
  }
  return std::nullopt;
}

std::vector<GpuOfRange::Piece> GpuOfRange::pieces(ProcessId process,
                                                  const gpummu::VaRange& range) const {
  std::vector<One> inside;
  for (const One& one : all_) {
    if (one.process != process || one.end <= range.first.value || range.end() <= one.first)
      continue;
    inside.push_back(
        {process, std::max(one.first, range.first.value), std::min(one.end, range.end()), one.gpu});
  }
  std::sort(inside.begin(), inside.end(),
            [](const One& one, const One& other) { return one.first < other.first; });
  std::vector<Piece> pieces;
  std::uint64_t at = range.first.value;
  for (const One& one : inside) {
    if (at < one.first) pieces.push_back({{{at}, one.first - at}});
    pieces.push_back({{{one.first}, one.end - one.first}, gpummu::AdapterSet{1} << one.gpu});
    at = one.end;
  }
  if (at < range.end()) pieces.push_back({{{at}, range.end() - at}});
  return pieces;
}

}  // namespace wddm::host
