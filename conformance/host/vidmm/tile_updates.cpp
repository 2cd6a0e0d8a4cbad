#include "conformance/host/vidmm/tile_updates.h"

#include <algorithm>
#include <utility>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/session.h"
#include "conformance/host/gpuva/virtual_memory.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kSignalQueued = 0, kWaitQueued = 1, kReached = 2, kGoesOn = 3;
constexpr std::uint32_t kAsked = 0, kBegins = 1, kDone = 2;

void tell(std::uint32_t stage, gpuva::MonitoredFenceId fence, std::uint64_t value,
          ContextId context) {
  session().tap(ev::MonitoredFence{
      .value = value, .fence = fence.value, .stage = stage, .context = context.value});
}

void tell(std::uint32_t stage, const InterlockedJob& job, ContextId companion) {
  session().tap(ev::TileUpdate{.fence_value = job.value,
                               .update = job.update.value,
                               .stage = stage,
                               .context = job.context.value,
                               .companion = companion.value,
                               .fence = job.fence.value,
                               .do_not_wait = job.do_not_wait});
}

}  // namespace

void TileUpdates::begin() {
  companions_.clear();
  asked_.fill(0);
  values_.fill(0);
  signals_.clear();
}

// -- what is asked for

InterlockedJob TileUpdates::ask_signal(ContextId context, std::uint32_t fence) {
  return {.what = InterlockedJob::What::Signal,
          .context = context,
          .fence = gpuva::MonitoredFenceId{fence},
          .value = ++asked_[fence],
          .parts = {}};
}

InterlockedJob TileUpdates::ask_wait(ContextId context, std::uint32_t fence) const {
  return {.what = InterlockedJob::What::Await,
          .context = context,
          .fence = gpuva::MonitoredFenceId{fence},
          .value = asked_[fence],
          .parts = {}};
}

InterlockedJob TileUpdates::ask_update(AllocationId allocation, const TileRequest& request,
                                       const Choices::TileUpdates& how, const char** refused,
                                       std::vector<AllocationId>* displaced) {
  CompanionUpdates::Decided decided =
      memory_.updates().decide(allocation, request, gpu_of(how.context));
  *refused = decided.refused;
  *displaced = std::move(decided.displaced);
  if (decided.refused != nullptr) return {};
  InterlockedJob job{.what = InterlockedJob::What::Update,
                     .context = how.context,
                     .fence = gpuva::MonitoredFenceId{how.fence},
                     .value = asked_[how.fence]++,
                     .update = gpuva::UpdateId{next_update_++},
                     .do_not_wait = how.do_not_wait,
                     .parts = std::move(decided.parts)};
  tell(kAsked, job, kNoContext);
  step(companion(job.context),
       gpuva::QueueUpdate{.update = job.update,
                          .fence = job.fence,
                          .fence_value = job.value,
                          .do_not_wait = job.do_not_wait},
       job.context);
  return job;
}

bool TileUpdates::holds(ContextId context) const {
  const auto found = companions_.find(context);
  return found != companions_.end() && found->second.holds;
}

// One that comes later than a value has reached it all the same.
TileUpdates::Companion& TileUpdates::companion(ContextId context) {
  const auto [found, is_new] = companions_.try_emplace(context);
  for (std::uint32_t fence = 0; is_new && fence < kMonitoredFences; ++fence) {
    if (values_[fence] == 0) continue;
    step(found->second, gpuva::FenceReached{gpuva::MonitoredFenceId{fence}, values_[fence]},
         context);
  }
  return found->second;
}

void TileUpdates::step(Companion& companion, const gpuva::CompanionInput& input,
                       ContextId context) {
  for (const gpuva::CompanionDecision& decision : decisions().companion(companion.queue, input)) {
    if (const auto* const run = std::get_if<gpuva::RunUpdate>(&decision)) {
      companion.may_run.insert(run->update);
    } else if (const auto* const signal = std::get_if<gpuva::SignalFence>(&decision)) {
      reach(signal->fence, signal->value, context);
    } else if (std::holds_alternative<gpuva::HoldCaller>(decision)) {
      companion.holds = true;
    } else if (std::holds_alternative<gpuva::ReleaseCaller>(decision)) {
      companion.holds = false;
    }
  }
}

// -- what is carried out

void TileUpdates::reach(gpuva::MonitoredFenceId fence, std::uint64_t value, ContextId context) {
  if (value <= values_[fence.value]) return;
  values_[fence.value] = value;
  tell(kReached, fence, value, context);
  for (auto& [id, companion] : companions_) step(companion, gpuva::FenceReached{fence, value}, id);
}

void TileUpdates::look_at_packets() {
  const auto is_there = [this](PacketOrdinal ordinal) {
    const PacketTable::Map& all = vidsch_.packets().all();
    return std::any_of(all.begin(), all.end(),
                       [ordinal](const auto& entry) { return entry.second.ordinal == ordinal; });
  };
  for (std::size_t i = 0; i < signals_.size();) {
    if (std::any_of(signals_[i].behind.begin(), signals_[i].behind.end(), is_there)) {
      ++i;
      continue;
    }
    const Signal done = signals_[i];
    signals_.erase(signals_.begin() + static_cast<std::ptrdiff_t>(i));
    reach(done.fence, done.value, done.context);
    i = 0;
  }
}

const char* TileUpdates::carry_out(const InterlockedJob& job) {
  look_at_packets();
  switch (job.what) {
    case InterlockedJob::What::Signal:
      return signal(job);
    case InterlockedJob::What::Await:
      return await(job);
    case InterlockedJob::What::Update:
      return update(job);
  }
  return nullptr;
}

const char* TileUpdates::signal(const InterlockedJob& job) {
  tell(kSignalQueued, job.fence, job.value, job.context);
  Signal wanted{job.fence, job.value, job.context, {}};
  for (const auto& [id, packet] : vidsch_.packets().all()) {
    if (packet.context() == job.context) wanted.behind.push_back(packet.ordinal);
  }
  signals_.push_back(std::move(wanted));
  look_at_packets();
  return nullptr;
}

const char* TileUpdates::await(const InterlockedJob& job) {
  tell(kWaitQueued, job.fence, job.value, job.context);
  const bool passes = decisions().commits(OracleFault::PassUnreachedValues);
  while (!passes && values_[job.fence.value] < job.value) {
    if (waits_.abandoned()) return nullptr;
    vidsch_.retired_event().wait("a value of a monitored fence");
    look_at_packets();
  }
  tell(kGoesOn, job.fence, job.value, job.context);
  return nullptr;
}

// Without a link there is nothing to choose from.
std::optional<std::uint32_t> TileUpdates::gpu_of(ContextId context) const {
  if (adapter_.physical_adapters() == 1) return std::nullopt;
  return decisions().gpu_of_update(objects_.context(context).engine.physical_adapter);
}

ContextId TileUpdates::companion_for(const InterlockedJob& job, const char** why) {
  const gpummu::GpuMmuCaps& caps = adapter_.gpummu()->geometry->caps();
  if (caps.page_table_update_mode == gpummu::PageTableUpdateMode::CpuVirtual) return kNoContext;
  const ContextId companion = companion_of(job.context);
  if (!objects_.context(companion).live && !objects_.contexts().create_companion(job.context)) {
    *why = "the driver makes no paging companion: the update comes with other paging";
    return kNoContext;
  }
  *why = memory_.add_companion(companion);
  return *why == nullptr ? companion : kNoContext;
}

const char* TileUpdates::update(const InterlockedJob& job) {
  Companion& companion = this->companion(job.context);
  while (!companion.may_run.contains(job.update)) {
    // After a reset nothing is left that could signal it.
    if (waits_.abandoned()) {
      reach(job.fence, job.value, job.context);
      break;
    }
    vidsch_.retired_event().wait("the value of a monitored fence that an update waits for");
    look_at_packets();
  }
  companion.may_run.erase(job.update);
  const char* why = nullptr;
  waits_.for_paging();
  const ContextId runs_in = companion_for(job, &why);
  tell(kBegins, job, runs_in);
  if (const char* const failed =
          memory_.updates().carry_out(job.parts, runs_in, gpu_of(job.context)))
    why = failed;
  waits_.for_paging();
  tell(kDone, job, runs_in);
  if (companion.queue.runs()) step(companion, gpuva::UpdateDone{}, job.context);
  return why;
}

}  // namespace wddm::host
