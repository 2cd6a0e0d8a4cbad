// Everything that exists during one scenario, built in order of dependence.
#pragma once

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/adapter/bus.h"
#include "conformance/host/adapter/inside_calls.h"
#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/adapter/objects/processes.h"
#include "conformance/host/addressing/addressing_of_driver.h"
#include "conformance/host/addressing/gpu_virtual.h"
#include "conformance/host/addressing/patch_list_addressing.h"
#include "conformance/host/boundary/scenario_choices.h"
#include "conformance/host/gpuva/iommu.h"
#include "conformance/host/render/render_path.h"
#include "conformance/host/render/test_commands.h"
#include "conformance/host/vidmm/prediction/memory_comparison.h"
#include "conformance/host/vidmm/prediction/predicted_memory.h"
#include "conformance/host/vidmm/residency_in_effect.h"
#include "conformance/host/vidmm/vidmm_worker.h"
#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {

/// Units of GPU time without a packet that ends, after which work counts as stuck: more than one
/// command of a scenario asks for.
inline constexpr std::uint64_t kStuckAfterUnits = 2'000'000;

struct World {
  World(const WddmDevice* device, const WddmClient* client)
      : bus(device),
        adapter(bus),
        processes(adapter),
        objects(adapter, processes, client),
        residency(adapter, objects),
        memory(adapter, objects, residency),
        comparison(memory, residency),
        patch_list(adapter, objects, residency, choices),
        gpu_virtual(adapter, objects, choices),
        addressing(adapter, patch_list, gpu_virtual),
        vidsch(adapter, objects, processes, addressing, memory, comparison, choices),
        vidmm(adapter, processes, objects, residency, memory, paging_windows, walks, vidsch,
              choices),
        iommu(processes, objects, vidmm.address_spaces(), vidsch),
        render_path(objects, addressing, vidmm, memory, choices) {
    gpu_virtual.use(vidmm.virtual_memory());
    bus.use(walks);
    bus.use(iommu);
    vidsch.use(walks);
  }

  Choices choices;
  Bus bus;
  Adapter adapter;
  Processes processes;
  Objects objects;
  Residency residency;
  PredictedMemory memory;
  MemoryComparison comparison;
  PatchListAddressing patch_list;
  GpuVirtualAddressing gpu_virtual;
  AddressingOfDriver addressing;
  PagingWindows paging_windows;  // packets have memory of it
  WalkJudge walks;
  VidSchWorker vidsch;
  VidMmWorker vidmm;
  Iommu iommu;
  InsideCalls inside_calls{bus, choices};
  RenderPath render_path;
  TestCommands test_commands{adapter, objects, gpu_virtual, vidmm};

  /// What the GPU has done while everything waited, since a packet moved last.
  struct {
    std::uint64_t since = 0;  ///< vidsch.progress()
    std::uint64_t units = 0;
  } idle_work;
};

}  // namespace wddm::host
