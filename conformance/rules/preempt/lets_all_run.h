// A seeded fault of several clauses: a driver that stops nothing.
#pragma once

#include "conformance/host/interposer.h"

namespace wddm::preempt {

/// A driver that waits until its hardware has nothing to do on node 0, and answers then.
class LetsAllRun final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->NodeOrdinal == 0) last_ = submit->SubmissionFenceId;
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    if (submit->NodeOrdinal == 0) last_ = submit->SubmissionFenceId;
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    if (preempt->NodeOrdinal != 0 || completed_ == last_) {
      return Interposer::PreemptCommand(adapter, preempt);
    }
    adapter_ = adapter;
    request_ = *preempt;
    waits_ = true;
    return STATUS_SUCCESS;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.NodeOrdinal == 0) {
      completed_ = data->DmaCompleted.SubmissionFenceId;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  void NotifyDpc(HANDLE adapter) override {
    Interposer::NotifyDpc(adapter);
    if (!waits_ || completed_ != last_) return;
    waits_ = false;
    static_cast<void>(Interposer::PreemptCommand(adapter_, &request_));
  }

 private:
  UINT last_ = 0, completed_ = 0;
  HANDLE adapter_ = nullptr;
  DXGKARG_PREEMPTCOMMAND request_{};
  bool waits_ = false;
};

}  // namespace wddm::preempt
