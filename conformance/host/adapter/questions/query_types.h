// The types of QueryAdapterInfo that Dxgkrnl asks a driver for, as data: since which interface, of
// which drivers, with which input, and how large the answer is.
//
// Left out: UMDRIVERPRIVATE, whose sizes are user mode's; the second call of those that are asked
// in two; SEGMENTMEMORYSTATE, where the output is the question as well; NODEPERFDATA and its like,
// which no capability promises, and whose forms pages tell for user mode alone; types that are
// reserved, and those of displays.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

struct QueryType {
  UINT type = 0;
  std::uint32_t output_bytes = 0;
  /// The output holds a pointer of Dxgkrnl's, which is null in a first call.
  bool points = false;
  UINT input_bytes = 0;
  std::array<std::uint8_t, 64> input{};  // names the first of what it names
};

/// Those that this driver is asked, by its interface and its capabilities, in the order of their
/// numbers.
[[nodiscard]] std::vector<QueryType> query_types(const Adapter& adapter);

}  // namespace wddm::host
