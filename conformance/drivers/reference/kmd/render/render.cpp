#include "render.h"

#include "../context.h"
#include "translator.h"

namespace reference_kmd {

NTSTATUS Renderer::render(Context* context, DXGKARG_RENDER* request) {
  const AllocationList list(request->pAllocationList, request->AllocationListSize);
  UserCopy commands;
  NTSTATUS status = capture_commands(*request, list, context->device(), &commands);
  if (status != STATUS_SUCCESS) return status;
  status = check_input_patches(*request, list);
  if (status != STATUS_SUCCESS) return status;
  Translator translator(*this, list, request);
  return translator.translate(static_cast<const ULONG*>(commands.bytes()));
}

NTSTATUS Renderer::capture_commands(const DXGKARG_RENDER& request, const AllocationList& list,
                                    const Device* device, UserCopy* commands) {
  const NTSTATUS status = commands->take(request.pCommand, request.CommandLength);
  if (status != STATUS_SUCCESS) return status;
  return check_commands(commands->bytes(), request.CommandLength, list, device);
}

// The output list is made from the commands; the input only has to be free of contradictions.
NTSTATUS Renderer::check_input_patches(const DXGKARG_RENDER& request, const AllocationList& list) {
  UserCopy hints;
  const NTSTATUS status = hints.take(
      request.pPatchLocationListIn,
      static_cast<SIZE_T>(request.PatchLocationListInSize) * sizeof(D3DDDI_PATCHLOCATIONLIST));
  if (status != STATUS_SUCCESS) return status;
  return check_hints(static_cast<const D3DDDI_PATCHLOCATIONLIST*>(hints.bytes()),
                     request.PatchLocationListInSize, request.CommandLength, list);
}

}  // namespace reference_kmd
