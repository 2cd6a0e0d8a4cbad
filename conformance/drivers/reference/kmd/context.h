// A GPU context: the image of its state in memory, and where its stopped packet goes on.
#pragma once

#include "contiguous.h"
#include "kmd_driver.h"

namespace reference_kmd {

class Adapter;
class Device;
class Dxgkrnl;
class Process;

// The page tables that a context runs with, as a ring entry names them.
struct RootTable {
  ULONGLONG address = 0;  // HW_ROOT_* included
  ULONG entries = 0;      // none: every access is a page fault
};

// What UpdateContextAllocation writes into an image that is a context allocation.
struct ImageUpdate {
  RootTable root;
  ULONGLONG status = 0;  // HwContextImage::status
};

// Where a packet that was preempted in the middle goes on. The packet is known by its range: the
// scheduler keeps the order of packets within a context, so the stopped one comes back first.
struct StoppedPacket {
  bool valid = false;
  UINT start = 0;
  UINT end = 0;
  ULONG resume_offset = 0;
  ULONG resume_units = 0;
};

class Context : public PlacedObject {
 public:
  Context(Device* device, UINT node, ULONG id, bool privileged)
      : device_(device), node_(node), id_(id), privileged_(privileged) {}

  /// The GPU of the link that it is for; null for a node's own context.
  Adapter* gpu() const { return gpu_; }
  void run_on(Adapter* gpu) { gpu_ = gpu; }

  /// Makes the state image as a context begins with.
  NTSTATUS initialize(Dxgkrnl& dxgkrnl);
  /// The same in a context allocation of that segment, which Dxgkrnl knows this context by: it
  /// begins when InitContextResource says where it lies.
  NTSTATUS initialize_in(Dxgkrnl& dxgkrnl, HANDLE dxgkrnl_handle, UINT segment);
  /// Before it goes.
  void release(Dxgkrnl& dxgkrnl);
  /// InitContextResource: the GPU address of the image. It may move while the context is idle.
  void note_image(ULONGLONG address) { image_address_ = address; }
  void note_residency(bool resident, ULONGLONG address) override {
    if (resident) image_address_ = address;
  }
  void note_mapping(ULONGLONG address) override { image_address_ = address; }
  /// Null: the image is no context allocation.
  HANDLE allocation() const { return allocation_; }
  /// Where packets leave their fence, in the image itself; 0: nowhere.
  ULONGLONG status_in_image() const { return status_in_image_; }

  Device* device() const { return device_; }  // null for a node's own context
  UINT node() const { return node_; }
  ULONG id() const { return id_; }
  /// Runs what the kernel wrote.
  bool privileged() const { return privileged_; }
  Process* process() const;  // null with patch lists
  const RootTable& root() const { return root_; }
  /// While no packet of the context is queued.
  void set_root(const RootTable& root, bool in_image) {
    root_ = root;
    root_in_image_ = in_image;
  }
  /// Whether the IOMMU translates what the context accesses.
  void use_io_mmu(bool uses) { uses_io_mmu_ = uses; }
  bool uses_io_mmu() const { return uses_io_mmu_; }
  ULONGLONG image() const { return allocation_ != nullptr ? image_address_ : image_.physical(); }
  /// HW_ENTRY_* that say where image and root are.
  ULONG image_flags() const {
    return (allocation_ != nullptr ? HW_ENTRY_IMAGE_IN_GPU : 0) |
           (root_in_image_ ? HW_ENTRY_ROOT_IN_IMAGE : 0);
  }

  // At device IRQL: the interrupt routine uses these too.
  void remember_stop(const StoppedPacket& packet) { stopped_ = packet; }
  /// The stop of the packet [start, end), if that was the one stopped; forgets it in any case.
  StoppedPacket take_stop(UINT start, UINT end);

 private:
  Device* const device_;
  const UINT node_;
  const ULONG id_;
  const bool privileged_;
  Adapter* gpu_ = nullptr;
  RootTable root_;
  bool root_in_image_ = false;
  bool uses_io_mmu_ = false;
  HANDLE allocation_ = nullptr;
  ULONGLONG image_address_ = 0;
  ULONGLONG status_in_image_ = 0;
  ContiguousMemory image_;
  StoppedPacket stopped_;
};

}  // namespace reference_kmd
