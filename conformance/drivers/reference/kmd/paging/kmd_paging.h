// BuildPagingBuffer for the physical memory model: from an operation to paging commands.
//
// Addresses are final when the buffer is built; no command depends on a context. Where an operation
// needs more space than is left, the work done so far is kept in MultipassOffset, in pages.
#pragma once

#include "../kmd_driver.h"

namespace reference_kmd {

class PagingBuilder : public KernelObject {
 public:
  NTSTATUS build(DXGKARG_BUILDPAGINGBUFFER* operation);
  /// For Patch calls on paging buffers: nothing is left to be filled in.
  virtual void patch(const DXGKARG_PATCH&) {}
  /// Words of NOP before each command.
  void pad_commands(ULONG words) { padding_ = words; }

 protected:
  /// Physical address of the `n`th page of an operation that begins at page `first` of `mdl`.
  virtual ULONGLONG page_address(const MDL* mdl, SIZE_T first, SIZE_T n) const;
  /// What aperture entries refer to after Unmap.
  virtual ULONGLONG unmapped_entry(PHYSICAL_ADDRESS dummy_page) const;
  /// MapApertureSegment has shown an allocation there.
  virtual void note_mapping(HANDLE, UINT, UINT64) const {}
  /// The form in which a GPU address stands in a paging command.
  virtual ULONGLONG address_field(ULONGLONG address) const { return address; }

  class Writer;
  /// Operations of other memory models: never asked of a driver that has none.
  virtual NTSTATUS build_other(DXGKARG_BUILDPAGINGBUFFER*, Writer*) { return STATUS_NOT_SUPPORTED; }

 private:
  // One side of a transfer: a segment address, or pages of an MDL.
  struct Side {
    ULONGLONG segment_address;
    const MDL* mdl;  // null: segment_address counts
    SIZE_T first_page;
  };

  NTSTATUS transfer(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer);
  NTSTATUS special_lock_transfer(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer);
  NTSTATUS copy(UINT* multipass, const Side& from, const Side& to, SIZE_T size, Writer* writer);
  NTSTATUS convert(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer);
  NTSTATUS fill(const DXGKARG_BUILDPAGINGBUFFER& operation, Writer* writer);
  NTSTATUS touch(ULONG opcode, UINT segment, PHYSICAL_ADDRESS address, Writer* writer);
  NTSTATUS map_aperture(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer);
  NTSTATUS map_aperture2(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer);
  NTSTATUS unmap_aperture(const DXGKARG_BUILDPAGINGBUFFER& operation, Writer* writer);
  NTSTATUS init_context_resource(const DXGKARG_BUILDPAGINGBUFFER& operation, Writer* writer);
  void write_address(Writer* writer, ULONG space, ULONGLONG address) const;

  ULONG padding_ = 0;
};

}  // namespace reference_kmd
