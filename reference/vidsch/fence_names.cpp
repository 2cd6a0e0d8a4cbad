// The words that reports use for the judgements of `fence_ledger.h`.
#include "reference/vidsch/fence_ledger.h"

namespace wddm::vidsch {

const char* name(SubmitOutcome outcome) {
  switch (outcome) {
    case SubmitOutcome::Accepted:
      return "accepted";
    case SubmitOutcome::FenceOutstanding:
      return "fence outstanding";
    case SubmitOutcome::FenceUsed:
      return "fence used before";
    case SubmitOutcome::RenderFenceReused:
      return "render fence reused";
    case SubmitOutcome::RequestOutstanding:
      return "preemption request outstanding";
  }
  return "?";
}

const char* name(ReportOutcome outcome) {
  switch (outcome) {
    case ReportOutcome::Accepted:
      return "accepted";
    case ReportOutcome::Repeated:
      return "repeated";
    case ReportOutcome::UnknownFence:
      return "fence never submitted to this engine";
    case ReportOutcome::OutOfOrder:
      return "fence implied by a later one";
    case ReportOutcome::AlreadyReported:
      return "fence reported before";
    case ReportOutcome::WasPreempted:
      return "fence was preempted";
    case ReportOutcome::WasReset:
      return "identifier is of before a reset";
    case ReportOutcome::PreemptionFence:
      return "fence is a preemption request";
    case ReportOutcome::UnexpectedPreempted:
      return "no preemption requested";
    case ReportOutcome::AlreadyAnswered:
      return "preemption request already answered";
    case ReportOutcome::PreemptionIdMismatch:
      return "another preemption request is outstanding";
    case ReportOutcome::LastCompletedUnknown:
      return "last completed fence never submitted to this engine";
    case ReportOutcome::LastCompletedTooOld:
      return "last completed fence is older than what completed";
    case ReportOutcome::LastCompletedWasPreempted:
      return "last completed fence was preempted";
    case ReportOutcome::LastCompletedWasReset:
      return "last completed fence is of before a reset";
    case ReportOutcome::LastCompletedAfterRequest:
      return "last completed fence was submitted after the request";
    case ReportOutcome::LastCompletedIsPreemption:
      return "last completed fence is a preemption request";
    case ReportOutcome::AbortedOutOfRange:
      return "last aborted fence is out of range";
  }
  return "?";
}

}  // namespace wddm::vidsch
