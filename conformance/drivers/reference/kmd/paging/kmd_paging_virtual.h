// BuildPagingBuffer with GPU virtual addresses: content and page tables.
//
// Paging buffers run in the address space of the system process. Updates of page tables by the GPU
// stand in the buffer with all their entries, so they take effect in their turn and may be
// repeated; those by the CPU are done at once. Operations of the physical model go on to the base.
// A context allocation holds the image of a context, with the root that the context runs with.
#pragma once

#include "kmd_paging.h"
#include "page_table_format.h"

namespace reference_kmd {

class Process;

class VirtualPagingBuilder : public PagingBuilder {
 public:
  /// `format` belongs to the adapter and may change between two starts.
  explicit VirtualPagingBuilder(const PageTableFormat& format) : format_(format) {}

 protected:
  NTSTATUS build_other(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer) override;
  /// The process whose own tables some of the entries lead to, and have to be written anew; else
  /// null.
  virtual const Process* owner_of_entries(
      const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) const;

  void note_mapping(HANDLE allocation, UINT segment, UINT64 offset) const override;

  /// How the hardware finds a range of the paging process that a transfer names.
  virtual ULONG space_of(bool in_64kb_pages) const;

  // paging_tables.cpp
  virtual NTSTATUS update_page_table(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer);

  const PageTableFormat& format_;

 private:
  NTSTATUS transfer_virtual(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer) const;
  static NTSTATUS fill_virtual(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer);
  static NTSTATUS flush_tlb(const DXGKARG_BUILDPAGINGBUFFER& operation, Writer* writer);
  static NTSTATUS update_context_allocation(const DXGKARG_BUILDPAGINGBUFFER& operation,
                                            Writer* writer);
  void notify_residency(const DXGKARG_BUILDPAGINGBUFFER& operation) const;

  // paging_tables.cpp
  NTSTATUS copy_entries(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer);
};

}  // namespace reference_kmd
