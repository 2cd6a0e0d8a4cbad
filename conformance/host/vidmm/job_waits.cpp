#include "conformance/host/vidmm/job_waits.h"

#include <algorithm>
#include <utility>

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {
namespace {

bool is_of(const Objects& objects, ProcessId process, const Packet& packet) {
  return objects.device(objects.context(packet.context()).device).process == process;
}

}  // namespace

void JobWaits::begin_job(MayPass may_pass) {
  working_ = true;
  abandoned_ = false;
  may_pass_ = std::move(may_pass);
}

// What the job has queued comes before the packets that it has passed.
void JobWaits::end_job() {
  if (holds_) {
    for_paging();
    vidsch_.stopped().let_go();
    vidsch_.look_again();
  }
  may_pass_ = {};
  working_ = holds_ = false;
}

template <class Matters>
bool JobWaits::is_held_up(Matters&& matters) {
  const auto& packets = vidsch_.packets().all();
  const auto passes = [&](const Packet& packet) {
    return may_pass_ && vidsch_.stopped().keeps(packet) && may_pass_(packet);
  };
  const bool held_up = std::any_of(packets.begin(), packets.end(), [&](const auto& entry) {
    return matters(entry.second) && !passes(entry.second);
  });
  if (held_up || !may_pass_) return held_up;
  holds_ |= vidsch_.stopped().hold(passes);
  return false;
}

void JobWaits::for_earlier_work() {
  while (!abandoned_ && is_held_up([](const Packet&) { return true; })) {
    vidsch_.retired_event().wait("the end of earlier packets");
  }
}

void JobWaits::for_paging() {
  while (vidsch_.packets().is_paging() && !abandoned_) {
    vidsch_.retired_event().wait("the end of earlier paging");
  }
}

void JobWaits::for_work_of(const Objects& objects, ProcessId process) {
  const auto is_its_work = [&](const Packet& packet) {
    return packet.is_paging() || is_of(objects, process, packet);
  };
  while (!abandoned_ && is_held_up(is_its_work)) {
    vidsch_.retired_event().wait("the end of earlier packets of a process");
  }
}

bool JobWaits::has_passed_work_of(const Objects& objects, ProcessId process) const {
  const auto& packets = vidsch_.packets().all();
  return std::any_of(packets.begin(), packets.end(), [&](const auto& entry) {
    return entry.second.held && is_of(objects, process, entry.second);
  });
}

void JobWaits::for_paging_of(const RenderBuffer& buffer) {
  while (vidsch_.packets().is_paging(buffer.allocations) && !abandoned_) {
    vidsch_.retired_event().wait("the paging of an earlier buffer");
  }
}

void JobWaits::for_paging_of(AllocationId allocation) {
  while (vidsch_.packets().is_paging({&allocation, 1}) && !abandoned_) {
    vidsch_.retired_event().wait("the paging of an allocation");
  }
}

void JobWaits::for_competitors_of(const RenderBuffer& buffer) {
  while (vidsch_.packets().competes(buffer) && !abandoned_) {
    vidsch_.retired_event().wait("another context that uses the same memory");
  }
}

void JobWaits::for_room() {
  while (vidsch_.room() == 0 && !abandoned_) {
    vidsch_.retired_event().wait("room for another packet");
  }
}

}  // namespace wddm::host
