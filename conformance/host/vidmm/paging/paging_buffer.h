// A paging operation, and the buffers that BuildPagingBuffer made of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/host/adapter/left_private_data.h"
#include "conformance/host/gpuva/paging_windows.h"
#include "conformance/host/interposer.h"
#include "conformance/host/nt/memory/mdl.h"
#include "conformance/host/vidmm/aperture_place.h"
#include "conformance/host/vidmm/paging/paging_effect.h"
#include "reference/trace/event.h"

namespace wddm::host {

class TableUpdate;

/// Who is blamed for a difference, and where it was allowed to write.
struct MemoryBlame {
  MemoryCause cause = MemoryCause::Idle;
  PacketOrdinal packet = kNoPacket;
  std::uint32_t operation = kNone;          ///< of paging
  AllocationId allocation = kNoAllocation;  ///< whose pages it was to write; none: see segment
  SegmentId segment = kNoSegment;
  std::uint32_t page = 0, pages = 0;
};

/// One paging operation: the arguments, what they mean to clauses, and what to predict afterwards.
struct PagingOperation {
  DXGKARG_BUILDPAGINGBUFFER args{};
  PagingArguments record;
  AllocationId allocation = kNoAllocation;
  ContextId runs_in = kNoContext;      ///< a paging companion; else a system context
  std::uint32_t physical_adapter = 0;  ///< GPU of the link that carries it out
  MemoryBlame blame;
  PagingEffect effect;   ///< once, after its last packet
  bool started = false;  ///< a packet of it has ended
  std::unique_ptr<nt::MdlOverFrames> mdl;
  std::vector<DXGK_PAGE_NUMBER> page_numbers;  ///< of MapApertureSegment2
  /// Of an update of page tables, with what stands behind them in memory.
  std::vector<DXGK_PTE> entries, entries_64kb;
  std::shared_ptr<TableUpdate> update;  ///< the same: who looks at the table; else null
  std::vector<DXGK_BUILDPAGINGBUFFER_COPY_RANGE> copy_ranges;
  std::uint32_t status = 0;  ///< what BuildPagingBuffer answered last
  /// No operation at all: an empty packet with ContextSwitch, for this engine.
  std::optional<EngineId> switches{};
  bool leaves_paging = false;     ///< the same: what is left is paging; known once it is submitted
  ContextId leaves = kNoContext;  ///< the same: or this context; likewise
  /// Of one that unmaps a buffer of commands: whose frames are to be no one else's before its end.
  memory::GuardedBuffer shown;

  /// The driver has built all of it: what it was given lists for is over, and a driver that keeps
  /// where they lie finds nothing there any more.
  void take_lists_back() {
    std::fill(entries.begin(), entries.end(), DXGK_PTE{});
    std::fill(entries_64kb.begin(), entries_64kb.end(), DXGK_PTE{});
    std::fill(copy_ranges.begin(), copy_ranges.end(), DXGK_BUILDPAGINGBUFFER_COPY_RANGE{});
  }
  /// It maps or unmaps a buffer of commands, which concerns nobody but that buffer.
  [[nodiscard]] bool is_of_buffer() const { return record.of_buffer != 0; }
};

/// What paging operations are packed into, one behind the other, until it is full.
struct PagingMemory {
  PagingMemory() = default;
  PagingMemory(const PagingMemory&) = delete;
  PagingMemory& operator=(const PagingMemory&) = delete;
  ~PagingMemory() {
    if (left_private_data) left_private_data->leave({private_data.data(), private_data.size()});
    if (home != nullptr) home->give_back({std::move(dma), address});
    window.leave(std::move(dma));
  }

  memory::GuardedBuffer dma;
  std::uint32_t bytes = 0;              ///< of it that the driver asked for
  gpummu::GpuVirtualAddress address{};  ///< with GPU virtual addresses: in the paging process
  PagingWindows* home = nullptr;        ///< the same: whose memory it is
  ApertureWindow window;                ///< where an aperture shows it
  memory::GuardedBuffer private_data;
  std::shared_ptr<LeftPrivateData> left_private_data;  ///< of the adapter, if there are any
};

/// The part of a paging buffer that one call of BuildPagingBuffer took. It is submitted alone.
struct PagingBuffer {
  std::shared_ptr<PagingMemory> memory;
  std::uint32_t start = 0, used = 0;  ///< bytes
  std::uint32_t offered = 0;          ///< bytes from the start on; canary behind
  std::uint32_t private_start = 0, private_used = 0;
  /// The last one carries the operation to its end.
  std::shared_ptr<PagingOperation> operation;
  std::uint32_t passes = 0;
  bool last = false;
};

}  // namespace wddm::host
