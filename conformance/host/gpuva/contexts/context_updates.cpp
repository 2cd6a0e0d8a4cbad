#include "conformance/host/gpuva/contexts/context_updates.h"

#include <algorithm>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/session.h"

namespace wddm::host {
namespace {

constexpr const char* kWhat = "an update of a context allocation";
// Less than a call may wait at all.
constexpr nt::Time kPatience = 900 * nt::Time{10'000};
constexpr const char* kTooLong =
    "DxgkCbUpdateContextAllocation is not carried out: the paging ahead of it does not end while "
    "the driver waits";

}  // namespace

NTSTATUS ContextUpdates::update(ContextAllocation& allocation,
                                const DXGKARGCB_UPDATECONTEXTALLOCATION& asked) {
  // From within the operation that one becomes.
  if (executing_ == nt::current_thread()) return STATUS_DEVICE_BUSY;
  const auto setting = spaces_.setting();
  if (setting && (!allocation.place || own_ != nullptr)) return STATUS_NOT_SUPPORTED;
  ev::ContextAllocationUpdated seen{.given = kAsGiven,
                                    .number = allocation.named.number,
                                    .bytes = asked.PrivateDriverDataSize,
                                    .setting = setting ? setting->value : kNone};
  const bool returns_early = decisions().commits(OracleFault::ReturnBeforeUpdate);
  if (returns_early) session().tap(seen);
  const NTSTATUS status =
      setting ? have_own_thread_do_it(allocation, asked) : have_worker_do_it(allocation, asked);
  seen.status = static_cast<std::uint32_t>(status);
  if (!returns_early) session().tap(seen);
  return status;
}

ContextUpdates::Request::Request(ContextAllocation& allocation,
                                 const DXGKARGCB_UPDATECONTEXTALLOCATION& asked)
    : of(allocation) {
  const auto* const first = static_cast<const std::uint8_t*>(asked.pPrivateDriverData);
  data.assign(first, first + asked.PrivateDriverDataSize);
}

NTSTATUS ContextUpdates::have_own_thread_do_it(ContextAllocation& allocation,
                                               const DXGKARGCB_UPDATECONTEXTALLOCATION& asked) {
  if (!std::exchange(started_, true)) {
    nt::spawn_host_thread("context allocations", &ContextUpdates::thread, this);
  }
  Request request(allocation, asked);
  own_ = &request;
  asked_.set();
  request.done.wait(kWhat);
  own_ = nullptr;
  return request.result;
}

// What the worker has in its hands it gives back itself.
NTSTATUS ContextUpdates::have_worker_do_it(ContextAllocation& allocation,
                                           const DXGKARGCB_UPDATECONTEXTALLOCATION& asked) {
  const auto request = requests_.emplace(requests_.end(), allocation, asked);
  const bool queued = enqueue_();
  if (queued) static_cast<void>(request->done.wait_for(kPatience, kWhat));
  const bool answered = request->stage == Stage::Answered;
  const NTSTATUS status = answered ? request->result : STATUS_NOT_SUPPORTED;
  if (request->stage == Stage::InWork) {
    request->stage = Stage::Left;
  } else {
    requests_.erase(request);
  }
  if (queued && !answered) {
    session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(OpKind::CreateContext)},
                       kTooLong);
  }
  return status;
}

void ContextUpdates::thread(void* context) {
  static_cast<ContextUpdates*>(context)->work();
}

void ContextUpdates::work() {
  for (;;) {
    asked_.wait_for_work(kWhat);
    answer(*own_, execute(*own_));
  }
}

ContextAllocation* ContextUpdates::take() {
  const auto next = std::find_if(requests_.begin(), requests_.end(), [](const Request& request) {
    return request.stage == Stage::Queued;
  });
  if (next == requests_.end()) return nullptr;
  taken_ = &*next;
  taken_->stage = Stage::InWork;
  return &taken_->of;
}

void ContextUpdates::carry_out() {
  finish(execute(*taken_));
}

void ContextUpdates::refuse(NTSTATUS status) {
  finish(status);
}

// Whoever asked has gone, or takes it from the list himself.
void ContextUpdates::finish(NTSTATUS status) {
  Request& request = *std::exchange(taken_, nullptr);
  if (request.stage != Stage::Left) return answer(request, status);
  requests_.remove_if([&request](const Request& each) { return &each == &request; });
}

NTSTATUS ContextUpdates::execute(const Request& request) {
  executing_ = nt::current_thread();
  operations_.give(request.data);
  request.of.look_at_former(FormerPlace::Occasion::WorkEnded);
  const NTSTATUS status = operations_.update(request.of);
  executing_ = kNone;
  return status;
}

void ContextUpdates::answer(Request& request, NTSTATUS status) {
  request.result = status;
  request.stage = Stage::Answered;
  request.done.set();
}

void ContextUpdates::give_up() {
  for (Request& request : requests_) {
    if (request.stage == Stage::Queued) answer(request, STATUS_UNSUCCESSFUL);
  }
}

bool ContextUpdates::awaited() const {
  return own_ != nullptr ||
         std::any_of(requests_.begin(), requests_.end(),
                     [](const Request& request) { return request.stage != Stage::Left; });
}

}  // namespace wddm::host
