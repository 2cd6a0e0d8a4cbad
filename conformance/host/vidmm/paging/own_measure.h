// Which paging operations count for themselves, where a scenario measures what buffers they need.
#pragma once

#include <d3dkmddi.h>

#include <optional>

#include "conformance/host/boundary/needs.h"

namespace wddm::host {

/// Nothing: from the largest of all.
[[nodiscard]] inline std::optional<OwnMeasure> own_measure(const DXGKARG_BUILDPAGINGBUFFER& args) {
  switch (args.Operation) {
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
      return OwnMeasure::CopyOfEntries;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      return OwnMeasure::Unmap;
    case DXGK_OPERATION_VIRTUAL_FILL:
      return OwnMeasure::VirtualFill;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
      return OwnMeasure::VirtualTransfer;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
      return OwnMeasure::Map2;
    default:
      return std::nullopt;
  }
}

}  // namespace wddm::host
