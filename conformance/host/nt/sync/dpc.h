// Kernel objects of the host itself, for code that has no KDPC or KEVENT at hand.
#pragma once

#include "conformance/host/nt/core/dispatcher.h"

namespace wddm::nt {

/// A DPC of the host (Dxgkrnl's): same queue, same rules as the driver's. Not movable while queued.
class HostDpc {
 public:
  /// `name` must outlive the machine.
  HostDpc(const char* name, void (*routine)(void*), void* context);
  HostDpc(const HostDpc&) = delete;
  HostDpc& operator=(const HostDpc&) = delete;
  /// Queues it on the current CPU; false if it is queued already. Below DISPATCH_LEVEL it has run
  /// when this returns (unless DPCs are held).
  bool queue();
  /// Takes it out of the queue; false if it was not queued.
  bool remove();

 private:
  DpcBlock block_{};
  void (*routine_)(void*);
  void* context_;
};

/// An event of the host.
class HostEvent {
 public:
  /// `synchronization`: a satisfied wait resets it.
  explicit HostEvent(bool synchronization);
  HostEvent(const HostEvent&) = delete;
  HostEvent& operator=(const HostEvent&) = delete;
  void set();
  void reset();
  [[nodiscard]] bool is_set() const { return header_.signal_state > 0; }
  /// Below DISPATCH_LEVEL. `what` says in hang reports what is waited for and must outlive the
  /// wait.
  void wait(const char* what);
  /// The same at the bottom of a thread's loop, where it owns nothing: the run may end there.
  void wait_for_work(const char* what);
  /// False if `timeout` of virtual time passed first; 0 polls.
  [[nodiscard]] bool wait_for(Time timeout, const char* what);
  /// The KEVENT that drivers may be given.
  [[nodiscard]] void* kernel_event() { return &header_; }

 private:
  DispatcherHeader header_;
};

}  // namespace wddm::nt
