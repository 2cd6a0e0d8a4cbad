// Processes, and the page tables that contexts run with.
#include "kmd_process.h"

#include "kmd_adapter.h"
#include "kmd_device.h"

namespace reference_kmd {

NTSTATUS Adapter::create_process(DXGKARG_CREATEPROCESS* request) {
  Process* process = new Process(request->hDxgkProcess, space_for_process());
  if (process == nullptr) return STATUS_NO_MEMORY;
  process->set_pasids(request->pPasid, request->NumPasid);
  const NTSTATUS status = reserve_addresses(process);
  if (!NT_SUCCESS(status)) {
    delete process;
    return status;
  }
  request->hKmdProcess = process;
  return STATUS_SUCCESS;
}

// The array is Dxgkrnl's again when its creation returns.
void Process::set_pasids(const ULONG* pasids, UINT count) {
  for (UINT gpu = 0; gpu < min(count, kMostLinked); ++gpu) pasids_[gpu] = pasids[gpu];
}

// For tables that the driver keeps itself; it may ask only while the process is created.
NTSTATUS Adapter::reserve_addresses(Process* process) {
  if (settings_.reserved_ranges == 0) return STATUS_SUCCESS;
  ReservedAddresses reserved;
  reserved.bytes = static_cast<ULONGLONG>(settings_.reserved_ranges) * page_tables_.leaf_coverage();
  const NTSTATUS status = dxgkrnl_.reserve_addresses(process->dxgkrnl_handle(), reserved.bytes,
                                                     page_tables_.leaf_coverage(), &reserved.start);
  return NT_SUCCESS(status) ? process->keep(dxgkrnl_, reserved) : status;
}

NTSTATUS Process::keep(Dxgkrnl& dxgkrnl, const ReservedAddresses& reserved) {
  const NTSTATUS status = own_.allocate(dxgkrnl, 2 * PAGE_SIZE);
  if (!NT_SUCCESS(status)) return status;
  reserved_ = reserved;
  const ULONGLONG page = (own_.physical() + PAGE_SIZE) | HW_PTE_VALID | HW_PTE_SYSTEM;
  RtlCopyMemory(own_.bytes(), &page, sizeof page);
  return STATUS_SUCCESS;
}

ULONGLONG Process::own_entry() const {
  return own_.physical() | HW_PTE_VALID | HW_PTE_SYSTEM;
}

void Adapter::destroy_process(Process* process) {
  for (Adapter* each : gpus_) {
    if (each != nullptr) each->flush_translations(process);
  }
  delete process;
}

// The context is idle, its node need not be. Other contexts of the process only lose translations
// that they find again.
void Adapter::set_root_page_table(const DXGKARG_SETROOTPAGETABLE& request) {
  auto* context = static_cast<Context*>(request.hContext);
  const HardwarePlace place =
      page_tables_.place_in(request.Address.SegmentId, request.Address.SegmentOffset);
  const RootTable root = {place.address | (place.space == HW_SPACE_SYSTEM ? HW_ROOT_SYSTEM : 0),
                          request.NumEntries};
  context->set_root(root, write_root(*context, root));
  context->gpu()->flush_translations(context->device()->process());
}

// Into the image of the context, where the hardware looks for it. Where that is not possible it
// goes with each packet.
bool Adapter::write_root(const Context& context, const RootTable& root) {
  if (context.allocation() == nullptr) return false;
  ImageUpdate data = {root, context.status_in_image()};
  return NT_SUCCESS(dxgkrnl_.update_context_allocation(context.allocation(), &data, sizeof data));
}

void Adapter::flush_translations(const Process* process) {
  if (process != nullptr && registers_.mapped()) {
    registers_.write(HW_REG_TLB_FLUSH, process->space());
  }
}

}  // namespace reference_kmd
