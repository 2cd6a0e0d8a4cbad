// Life of the adapter: add, start, stop, remove, power.
#include "kmd_adapter.h"

#include "kmd_device.h"
#include "kmd_factory.h"
#include "paging/kmd_paging.h"
#include "render/render.h"
#include "segment_layout.h"

namespace reference_kmd {

Adapter::~Adapter() {
  delete renderer_;
  delete paging_;
}

NTSTATUS Adapter::add() {
  nodes_ = static_cast<Node**>(
      ExAllocatePoolWithTag(NonPagedPoolNx, HW_NODE_COUNT * sizeof(Node*), kArrayTag));
  if (nodes_ == nullptr) return STATUS_NO_MEMORY;
  RtlZeroMemory(nodes_, HW_NODE_COUNT * sizeof(Node*));
  for (UINT i = 0; i < HW_NODE_COUNT; ++i) {
    nodes_[i] = make_node(dxgkrnl_, registers_, i);
    if (nodes_[i] == nullptr) return STATUS_NO_MEMORY;
  }
  renderer_ = make_renderer();
  paging_ = uses_gpu_virtual_addresses() ? make_virtual_paging_builder(page_tables_)
                                         : make_paging_builder();
  return renderer_ != nullptr && paging_ != nullptr ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

void Adapter::remove() {
  stop();
  unlink();
  free_nodes();
}

void Adapter::free_nodes() {
  if (nodes_ == nullptr) return;
  for (UINT i = 0; i < HW_NODE_COUNT; ++i) delete nodes_[i];
  ExFreePoolWithTag(nodes_, kArrayTag);
  nodes_ = nullptr;
}

NTSTATUS Adapter::start(const DXGK_START_INFO& information, const DXGKRNL_INTERFACE& callbacks) {
  dxgkrnl_.save(callbacks);
  DXGK_DEVICE_INFO device = {};
  NTSTATUS status = dxgkrnl_.device_information(&device);
  if (!NT_SUCCESS(status)) return status;
  reports_retrace_ = false;
  settings_ = Settings();
  settings_.read(&device.DeviceRegistryPath, index_);
  page_tables_.configure(settings_, index_);
  power_components_.configure(settings_.power_components);
  renderer_->pad_commands(settings_.command_padding);
  paging_->pad_commands(settings_.command_padding);
  status = dummy_page_.allocate(dxgkrnl_, PAGE_SIZE);
  if (NT_SUCCESS(status)) status = registers_.map(dxgkrnl_, device.TranslatedResourceList);
  if (NT_SUCCESS(status)) status = start_hardware(information.RequiredDmaQueueEntry);
  if (NT_SUCCESS(status)) meet_peers();
  if (!NT_SUCCESS(status)) stop();
  return status;
}

NTSTATUS Adapter::start_hardware(ULONG packets) {
  quiesce();
  for (UINT i = 0; i < HW_NODE_COUNT; ++i) {
    const NTSTATUS status = nodes_[i]->start(packets);
    if (!NT_SUCCESS(status)) return status;
  }
  begin_work();
  return STATUS_SUCCESS;
}

// The engines are programmed; lets them be used.
void Adapter::begin_work() {
  registers_.write64(HW_REG_APERTURE_INIT, dummy_page_.physical());
  if (uses_gpu_virtual_addresses()) page_tables_.program(&registers_);
  enable_interrupts();
}

void Adapter::stop() {
  if (registers_.mapped()) {
    quiesce();
    KeFlushQueuedDpcs();  // none of ours may still tell Dxgkrnl about work
  }
  registers_.unmap(dxgkrnl_);
  for (UINT i = 0; nodes_ != nullptr && i < HW_NODE_COUNT; ++i) {
    if (nodes_[i] != nullptr) nodes_[i]->stop();
  }
  dummy_page_.release();
}

void Adapter::quiesce() {
  if (!registers_.mapped()) return;
  disable_interrupts();
  registers_.write(HW_REG_RESET, 1);
}

void Adapter::enable_interrupts() {
  registers_.write(HW_REG_INT_ENABLE, ((1u << HW_NODE_COUNT) - 1) | HW_INT_RESET_DONE |
                                          (reports_retrace_ ? HW_INT_RETRACE : 0));
}

void Adapter::report_retrace(bool report) {
  reports_retrace_ = report;
  enable_interrupts();
}

void Adapter::disable_interrupts() {
  registers_.write(HW_REG_INT_ENABLE, 0);
}

// The GPU loses everything but its fences below D0. Dxgkrnl has emptied queues and memory before.
NTSTATUS Adapter::set_power(DEVICE_POWER_STATE state) {
  if (!registers_.mapped()) return STATUS_SUCCESS;
  if (state == PowerDeviceD0) {
    resume();
    meet_peers();
  } else {
    quiesce();
  }
  return STATUS_SUCCESS;
}

NTSTATUS Adapter::create_context(Device* device, DXGKARG_CREATECONTEXT* request) {
  if (request->NodeOrdinal >= HW_NODE_COUNT) return STATUS_INVALID_PARAMETER;
  // One bit of EngineAffinity names the GPU.
  ULONG index = 0;
  while (gpus_of_link() > 1 && index < kMostLinked && (request->EngineAffinity >> index & 1) == 0) {
    ++index;
  }
  if (gpu(index) == nullptr) return STATUS_INVALID_PARAMETER;
  if (request->Flags.VirtualAddressing && !uses_gpu_virtual_addresses()) {
    return STATUS_INVALID_PARAMETER;
  }
  if (request->PrivateDriverDataSize != 0) {
    UmdContextData data = {};
    if (request->PrivateDriverDataSize < sizeof data) return STATUS_GRAPHICS_DRIVER_MISMATCH;
    RtlCopyMemory(&data, request->pPrivateDriverData, sizeof data);
    if (data.magic != UMD_CONTEXT_MAGIC || data.version != UMD_VERSION) {
      return STATUS_GRAPHICS_DRIVER_MISMATCH;
    }
  }
  Context* context = new Context(device, request->NodeOrdinal,
                                 static_cast<ULONG>(InterlockedIncrement(&next_context_id_)),
                                 request->Flags.SystemContext != 0);
  if (context == nullptr) return STATUS_NO_MEMORY;
  context->run_on(gpu(index));
  const bool allocates = settings_.context_allocations != 0 && !context->privileged();
  context->use_io_mmu(gpu(index)->uses_io_mmu(request->NodeOrdinal, context->privileged()));
  const UINT images = segment_id(settings_.context_allocations == 2 ? UMD_SEGMENT_APERTURE
                                                                    : UMD_SEGMENT_LOCAL);
  const NTSTATUS status = allocates
                              ? context->initialize_in(dxgkrnl_, request->hContext, images)
                              : context->initialize(dxgkrnl_);
  if (!NT_SUCCESS(status)) {
    delete context;
    return STATUS_NO_MEMORY;
  }
  request->hContext = context;
  describe_context(*request, &request->ContextInfo);
  request->ContextInfo.Caps.UseIoMmu = context->uses_io_mmu();
  return STATUS_SUCCESS;
}

void Adapter::destroy_context(Context* context) {
  context->release(dxgkrnl_);
  delete context;
}

// With GPU virtual addresses user mode has its own command buffers, and there are no lists.
void Adapter::describe_context(const DXGKARG_CREATECONTEXT& request, DXGK_CONTEXTINFO* info) const {
  *info = DXGK_CONTEXTINFO();
  info->DmaBufferSize = settings_.dma_buffer_size;
  if (request.Flags.VirtualAddressing) {
    info->DmaBufferPrivateDataSize = UMD_SUBMISSION_ROOM;
    info->AllocationListSize = request.Flags.GdiContext ? DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT : 0;
    info->Caps.NoPatchingRequired = TRUE;
    info->PagingCompanionNodeId = HW_NODE_COPY;  // beside what renders
    return;
  }
  info->DmaBufferSegmentSet =
      settings_.dma_buffers_in_aperture != 0 ? segment_set(UMD_SEGMENT_APERTURE) : 0;
  info->AllocationListSize = request.Flags.GdiContext ? DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT
                                                      : settings_.allocation_list_size;
  info->PatchLocationListSize = settings_.patch_location_list_size;
}

}  // namespace reference_kmd
