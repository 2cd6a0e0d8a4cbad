#include "kmd_factory.h"

#include "kmd_adapter.h"
#include "paging/kmd_paging_virtual.h"
#include "render/render.h"

namespace reference_kmd {

void prepare_factory(PUNICODE_STRING) {}

Adapter* make_adapter(PDEVICE_OBJECT physical_device) {
  return new Adapter(physical_device);
}

Node* make_node(Dxgkrnl& dxgkrnl, Registers& registers, UINT ordinal) {
  return new Node(dxgkrnl, registers, ordinal);
}

Renderer* make_renderer() {
  return new Renderer;
}

PagingBuilder* make_paging_builder() {
  return new PagingBuilder;
}

PagingBuilder* make_virtual_paging_builder(const PageTableFormat& format) {
  return new VirtualPagingBuilder(format);
}

}  // namespace reference_kmd
