// What travels to the GPU: a DMA buffer, the portions it is cut into, and paging buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "conformance/host/adapter/left_private_data.h"
#include "conformance/host/interposer.h"
#include "conformance/host/memory/guarded_array.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/render/command_places.h"
#include "conformance/host/vidmm/paging/paging_buffer.h"
#include "reference/gpummu/address.h"
#include "reference/trace/event.h"
#include "reference/vidsch/packet.h"

namespace wddm::host {

/// One DMA buffer as Render left it. Lives until its last portion has ended.
struct RenderBuffer {
  RenderBuffer() = default;
  RenderBuffer(const RenderBuffer&) = delete;
  RenderBuffer& operator=(const RenderBuffer&) = delete;
  ~RenderBuffer() {
    if (left_private_data) left_private_data->leave({private_data.data(), private_used});
    window.leave(std::move(dma));
  }

  std::uint32_t render = 0;  ///< ordinal of the Render op
  std::uint32_t pass = 0;    ///< of a multipass translation
  bool last_pass = true;
  bool given_up = false;  ///< the driver did not translate it, nor what would follow
  ContextId context{};
  EngineId engine{};
  memory::GuardedBuffer dma;
  memory::GuardedBuffer private_data;
  /// With patch lists: of the context, if it has private data.
  std::shared_ptr<LeftPrivateData> left_private_data;
  std::vector<std::uint8_t> private_given;  ///< the same, of hostile input: when Render was called
  ApertureWindow window;                    ///< where an aperture shows `dma`
  std::uint32_t dma_used = 0;
  std::uint32_t private_used = 0;
  gpummu::GpuVirtualAddress address{};  ///< with GPU virtual addresses: in the context's process
  std::shared_ptr<char> mapping;  ///< the same: it is mapped there for as long as this is held
  std::uint32_t user_private_used = 0;  ///< the same: bytes of private_data that user mode wrote
  bool commands_altered = false;        ///< the same: hostile, in its commands
  bool required_only = false;           ///< nothing is brought in for it
  std::vector<D3DDDI_PATCHLOCATIONLIST> patches;
  memory::GuardedArray<D3DDDI_PATCHLOCATIONLIST> given_patches;  ///< the same, for the driver
  std::vector<DXGK_ALLOCATIONLIST> allocation_list;
  std::vector<AllocationId> allocations;  ///< same indices; kNoAllocation: NULL handle
  std::shared_ptr<CommandStream> stream;  ///< what the whole op means
  CommandPlaces places;                   ///< of its commands in this buffer
  std::uint32_t portions_left = 0;        ///< queued and not over
  bool more_portions = false;             ///< behind those, not queued yet
  bool started = false;                 ///< a portion was submitted
  std::uint32_t marker_offset = kNone;  ///< byte in the marker allocation, kNone without one
  bool marker_is_ladder = false;        ///< it counts without addition (repertoire.h)
  std::uint32_t marker_before = 0;      ///< its count, without this buffer; kNone: nobody knows
  bool prepatched = false;              ///< every address given to Render is still valid
  bool null_rendering = false;          ///< of its commands none is to run
  bool presents = false;                ///< Present made it
  bool hostile = false;                 ///< user mode altered the input: the effect is unknown
  /// With GPU virtual addresses: those of `allocations` whose address leads nowhere, or that only
  /// copies from such write to, and whether a command accesses what leads nowhere, so that the
  /// packet is to end in a page fault.
  std::vector<AllocationId> out_of_reach;
  bool must_fault = false;
  bool stray = false;  ///< the same: its commands are not mapped, so that none of them runs
  /// The same: it goes ahead of paging that its client has not waited for, so that it may fault.
  bool hurried = false;
  /// What it may write to beside `allocations`: of a hurried one, what its addresses led to before
  /// that; of one that is hostile, what its process has.
  std::vector<AllocationId> displaced;
};

/// A portion of a DMA buffer.
struct RenderWork {
  std::shared_ptr<RenderBuffer> buffer;
  std::uint32_t start = 0, end = 0;    ///< bytes of the DMA buffer
  std::uint32_t first = 0, count = 0;  ///< elements of its patch-location list
  /// The allocation list with the addresses that hold for this portion.
  std::vector<DXGK_ALLOCATIONLIST> addresses;
  bool has_marker = false;  ///< the portion that ends with the marker's add
};

/// A paging buffer.
struct PagingWork {
  std::unique_ptr<PagingBuffer> buffer;
  vidsch::PacketId behind{};  ///< the portion before it, whose memory it may take
};

/// What the scheduler submits.
struct Packet {
  PacketOrdinal ordinal{};
  EngineId engine;
  FenceId fence{};  ///< of the latest submission
  std::uint32_t submissions = 0;
  bool stopped = false;         ///< preempted, and one that may be kept back
  bool may_have_begun = false;  ///< false: it was behind another one all the time
  bool held = false;            ///< stopped, and passed by a job of VidMm that has not ended
  std::variant<RenderWork, PagingWork> work;

  [[nodiscard]] RenderWork* render() { return std::get_if<RenderWork>(&work); }
  [[nodiscard]] const RenderWork* render() const { return std::get_if<RenderWork>(&work); }
  [[nodiscard]] PagingWork* paging() { return std::get_if<PagingWork>(&work); }
  [[nodiscard]] const PagingWork* paging() const { return std::get_if<PagingWork>(&work); }
  [[nodiscard]] bool is_paging() const { return paging() != nullptr; }

  /// An empty packet with ContextSwitch; it counts as paging.
  [[nodiscard]] bool switches() const {
    return is_paging() && paging()->buffer->operation->switches.has_value();
  }
  /// The context that it leaves; kNoContext: paging, the null context, or it leaves none.
  [[nodiscard]] ContextId leaves() const {
    return switches() ? paging()->buffer->operation->leaves : kNoContext;
  }
  /// Flags.Paging.
  [[nodiscard]] bool has_paging_flag() const {
    return switches() ? paging()->buffer->operation->leaves_paging : is_paging();
  }

  /// kNoContext for paging.
  [[nodiscard]] ContextId context() const {
    return is_paging() ? kNoContext : render()->buffer->context;
  }
  /// Of paging: the companion that it runs in; else, as of others, kNoContext.
  [[nodiscard]] ContextId companion() const {
    return is_paging() ? paging()->buffer->operation->runs_in : kNoContext;
  }
  /// Ordinal of the Render op; kNone for paging.
  [[nodiscard]] std::uint32_t render_ordinal() const {
    return is_paging() ? kNone : render()->buffer->render;
  }
  [[nodiscard]] const memory::GuardedBuffer& dma() const {
    return is_paging() ? paging()->buffer->memory->dma : render()->buffer->dma;
  }
  /// Where an aperture shows it.
  [[nodiscard]] const AperturePlace& place() const {
    return is_paging() ? paging()->buffer->memory->window.place : render()->buffer->window.place;
  }
  [[nodiscard]] const memory::GuardedBuffer& private_data() const {
    return is_paging() ? paging()->buffer->memory->private_data : render()->buffer->private_data;
  }
  /// DmaBufferSubmissionStartOffset and DmaBufferSubmissionEndOffset.
  [[nodiscard]] std::uint32_t start() const {
    return is_paging() ? paging()->buffer->start : render()->start;
  }
  [[nodiscard]] std::uint32_t end() const {
    return is_paging() ? start() + paging()->buffer->used : render()->end;
  }
  /// DmaBufferPrivateDataSubmissionStartOffset and DmaBufferPrivateDataSubmissionEndOffset.
  [[nodiscard]] std::uint32_t private_start() const {
    return is_paging() ? paging()->buffer->private_start : 0;
  }
  [[nodiscard]] std::uint32_t private_end() const {
    return is_paging() ? private_start() + paging()->buffer->private_used
                       : render()->buffer->private_used;
  }
};

}  // namespace wddm::host
