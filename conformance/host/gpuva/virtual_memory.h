// What VidMm does for drivers with GPU virtual addresses: addresses of allocations and command
// buffers, and paging through the address space of the paging process.
//
// Runs on the VidMm worker, but for address_of(). The space of the paging process holds two windows
// of a few pages, through which contents are filled and moved part by part:
//   - a step that brings contents in maps source and destination into the windows, moves them, and
//     lets the allocation's own addresses lead to the new place when all has been done;
//   - a step that takes them out first makes its addresses invalid.
// Sources: DXGKARG_BUILDPAGINGBUFFER, "GPU virtual memory in WDDM 2.0" # Moving content. Each part
// ends before the next one begins: nothing asks Windows for more. System memory is reached by
// entries of segment 0; aperture segments are left out.
#pragma once

#include <map>
#include <memory>

#include "conformance/host/gpuva/address_spaces.h"

namespace wddm::host {

class VirtualMemory {
 public:
  VirtualMemory(const Adapter& adapter, const PagingScene& scene, AddressSpaces& spaces,
                PagingWindows& windows, PagingQueue& queue, JobWaits& waits)
      : adapter_(adapter),
        scene_(scene),
        spaces_(spaces),
        windows_(windows),
        queue_(queue),
        waits_(waits) {}

  /// The adapter runs and the system process is there: writes its page tables and gives its
  /// contexts their root. Null, or why there is no paging.
  [[nodiscard]] const char* begin();
  /// The adapter stops.
  void end();
  [[nodiscard]] bool active() const { return active_; }

  /// The context gets the root of its process, which gets a space if it has none. Null, or why not.
  const char* add_context(ContextId context);
  void remove_context(ContextId context);

  /// Where the allocation is in its process, whether or not it is resident; the same for as long as
  /// it lives. 0: there are no addresses left.
  [[nodiscard]] gpummu::GpuVirtualAddress address_of(AllocationId allocation);
  /// It is about to be destroyed: its addresses lead nowhere, and are not its own any more.
  void forget(AllocationId allocation);
  /// All devices of the process are gone: so are its page tables.
  void forget(ProcessId process) { spaces_.close(process); }
  /// Where a command buffer of so many bytes can be mapped next.
  [[nodiscard]] gpummu::GpuVirtualAddress address_for_commands(std::uint64_t bytes);
  /// Maps the buffer at its address for its context's process.
  void map_commands(RenderBuffer& buffer);

  /// Carries out a step that VidMm decided on.
  void carry_out(const vidmm::PagingStep& step);

 private:
  /// Pages as entries see them.
  using Runs = std::vector<gpummu::PageRun>;

  /// While the paging process's page tables are written.
  void map_paging_buffers();
  [[nodiscard]] const char* need_space(ProcessId process);
  void show(gpummu::GpuVirtualAddress window, const Runs& pages, const Mapped& mapped);
  void move_contents(const vidmm::PagingStep& step);
  void fill(const vidmm::PagingStep& step);
  void lead_to(AllocationId allocation, const Runs& pages);
  void lead_nowhere(AllocationId allocation);
  [[nodiscard]] bool in_64kb_pages(const Runs& pages) const;
  void leave(const vidmm::PagingStep& step);
  void unmap_ended_commands();
  [[nodiscard]] Runs in_segment(const vidmm::PagingStep& step, std::uint32_t first,
                                std::uint32_t pages) const;
  [[nodiscard]] Runs in_system(AllocationId allocation, std::uint32_t first,
                               std::uint32_t pages) const;
  /// Bytes of a space that its root covers.
  [[nodiscard]] std::uint64_t usable_bytes() const;
  [[nodiscard]] ProcessId process_of(AllocationId allocation) const;
  [[nodiscard]] ProcessId process_of(ContextId context) const;

  const Adapter& adapter_;
  PagingScene scene_;
  AddressSpaces& spaces_;
  PagingWindows& windows_;
  PagingQueue& queue_;
  JobWaits& waits_;
  bool active_ = false;
  std::uint64_t next_address_ = 0;   // of allocations; from the bottom of the space up
  std::uint64_t next_commands_ = 0;  // of command buffers: around in the upper quarter
  PerAllocation<gpummu::GpuVirtualAddress> addresses_;
  struct MappedCommands {
    ProcessId process;
    gpummu::VaRange range;
    std::weak_ptr<char> in_use;
  };
  std::vector<MappedCommands> commands_;
};

}  // namespace wddm::host
