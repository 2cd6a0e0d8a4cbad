// Makes the objects whose methods a faulty driver overrides. kmd_factory.cpp makes the conforming
// ones; the faulty driver links another implementation (variants/variant_factory.cpp) to the same
// objects.
#pragma once

#include "kmd_driver.h"

namespace reference_kmd {

class Adapter;
class Dxgkrnl;
class Node;
class PageTableFormat;
class PagingBuilder;
class Registers;
class Renderer;

/// Called by DriverEntry before anything else.
void prepare_factory(PUNICODE_STRING registry_path);

// Each gives null when there is no memory.
Adapter* make_adapter(PDEVICE_OBJECT physical_device);
Node* make_node(Dxgkrnl& dxgkrnl, Registers& registers, UINT ordinal);
Renderer* make_renderer();
PagingBuilder* make_paging_builder();
/// The same with GPU virtual addresses.
PagingBuilder* make_virtual_paging_builder(const PageTableFormat& format);

}  // namespace reference_kmd
