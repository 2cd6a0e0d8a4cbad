// The paging operations that show a buffer of commands in an aperture, and that show it no more.
#pragma once

#include "conformance/host/vidmm/aperture_place.h"
#include "conformance/host/vidmm/paging/paging_operations.h"

namespace wddm::host {

/// Of a DMA buffer or a paging buffer hAllocation is NULL; hDevice is that of the DMA buffer's
/// context, of paging buffers it is NULL too.
[[nodiscard]] PagingOperationPtr show_buffer(const PagingScene& scene, const AperturePlace& place,
                                             const memory::GuardedBuffer& buffer, HANDLE device);
/// Its frames are free for others when the operation is over.
[[nodiscard]] PagingOperationPtr hide_buffer(LeftBuffer left, HANDLE device, memory::Frame dummy);

}  // namespace wddm::host
