// A GPU context: the image of its state in memory, and where its stopped packet goes on.
#pragma once

#include "contiguous.h"
#include "kmd_driver.h"

namespace reference_kmd {

class Adapter;
class Device;
class Process;

// The page tables that a context runs with, as a ring entry names them.
struct RootTable {
  ULONGLONG address = 0;  // HW_ROOT_* included
  ULONG entries = 0;      // none: every access is a page fault
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

class Context : public KernelObject {
 public:
  Context(Device* device, UINT node, ULONG id, bool privileged)
      : device_(device), node_(node), id_(id), privileged_(privileged) {}

  /// The GPU of the link that it is for; null for a node's own context.
  Adapter* gpu() const { return gpu_; }
  void run_on(Adapter* gpu) { gpu_ = gpu; }

  /// Makes the state image as a context begins with.
  NTSTATUS initialize();

  Device* device() const { return device_; }  // null for a node's own context
  UINT node() const { return node_; }
  ULONG id() const { return id_; }
  /// Runs what the kernel wrote.
  bool privileged() const { return privileged_; }
  Process* process() const;  // null with patch lists
  const RootTable& root() const { return root_; }
  /// While no packet of the context is queued.
  void set_root(const RootTable& root) { root_ = root; }
  ULONGLONG image() const { return image_.physical(); }

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
  ContiguousMemory image_;
  StoppedPacket stopped_;
};

}  // namespace reference_kmd
