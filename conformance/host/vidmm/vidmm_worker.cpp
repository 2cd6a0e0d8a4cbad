#include "conformance/host/vidmm/vidmm_worker.h"

#include <algorithm>

namespace wddm::host {
namespace {

const char* text_of(vidmm::Refusal refusal) {
  switch (refusal) {
    case vidmm::Refusal::IsResident:
      return "it is resident";
    case vidmm::Refusal::IsNotResident:
      return "it is not resident";
    case vidmm::Refusal::NoRoom:
      return "nothing can make room for it";
    case vidmm::Refusal::NoOtherPlace:
      return "there is no other place for it";
    case vidmm::Refusal::BadList:
    case vidmm::Refusal::CannotFit:
      break;  // of buffers
  }
  return "VidMm refuses it";
}

}  // namespace

VidMmWorker::VidMmWorker(Adapter& adapter, Objects& objects, Residency& residency,
                         PredictedMemory& memory, Paging& paging, VidSchWorker& vidsch,
                         const Choices& choices)
    : adapter_(adapter),
      objects_(objects),
      residency_(residency),
      memory_(memory),
      paging_(paging),
      vidsch_(vidsch),
      choices_(choices) {}

void VidMmWorker::begin() {
  planner_ = std::make_unique<vidmm::SplitPlanner>(adapter_.slots());
  for (const RawMap& map : maps_) memory::frames_free(map.frames);
  maps_.clear();
  if (!started_) nt::spawn_host_thread("VidMm worker", &VidMmWorker::thread, this);
  started_ = true;
}

bool VidMmWorker::allocation_created(std::uint32_t slot) {
  if (!residency_.created(slot)) return false;
  if (memory_.created(slot)) return true;
  residency_.forget(slot);
  return false;
}

void VidMmWorker::enqueue(std::unique_ptr<RenderBuffer> buffer) {
  jobs_.push_back({std::move(buffer), {}});
  wake_.set();
}

void VidMmWorker::enqueue(const Op& op) {
  jobs_.push_back({nullptr, op});
  wake_.set();
}

// In `x`, since the host's own allocation lies behind the slots of scenarios.
void VidMmWorker::enqueue_destruction(std::uint32_t slot) {
  enqueue({.kind = OpKind::DestroyAllocation, .x = slot});
}

void VidMmWorker::abandon() {
  jobs_.clear();
  abandoned_ = busy_;
}

void VidMmWorker::thread(void* context) {
  static_cast<VidMmWorker*>(context)->work();
}

void VidMmWorker::work() {
  for (;;) {
    wake_.wait_for_work("a job for VidMm");
    while (!jobs_.empty()) {
      Job job = std::move(jobs_.front());
      jobs_.pop_front();
      busy_ = true;
      abandoned_ = false;
      if (job.buffer) {
        take(*job.buffer, job.buffer);
      } else {
        take(job.op);
      }
      busy_ = false;
      ++progress_;
    }
  }
}

void VidMmWorker::wait_for_earlier_work() {
  while (vidsch_.packets().size() != 0 && !abandoned_) {
    vidsch_.retired_event().wait("the end of earlier packets");
  }
}

void VidMmWorker::skip(OpKind kind, const char* why) const {
  session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(kind)}, why);
}

void VidMmWorker::queue(const std::shared_ptr<PagingOperation>& operation) {
  queue(paging_.build(operation));
}

// A driver may want thousands of passes for one operation.
void VidMmWorker::queue(std::vector<std::unique_ptr<PagingBuffer>> buffers) {
  for (std::unique_ptr<PagingBuffer>& buffer : buffers) {
    while (vidsch_.room() == 0 && !abandoned_) {
      vidsch_.retired_event().wait("room for another packet");
    }
    if (abandoned_) return;
    vidsch_.enqueue(std::move(buffer));
  }
}

// What these ops page waits for earlier work, as they all have done already.
void VidMmWorker::carry_out(OpKind kind, const vidmm::Input& input) {
  vidmm::PagingSteps steps;
  for (const vidmm::Decision& decision : vidmm::step(residency_.vidmm(), *planner_, input)) {
    if (const auto* page = std::get_if<vidmm::Page>(&decision)) steps.push_back(page->step);
    if (const auto* refused = std::get_if<vidmm::Refused>(&decision)) {
      skip(kind, text_of(refused->why));
    }
  }
  carry_out(steps);
}

void VidMmWorker::carry_out(const vidmm::PagingSteps& steps) {
  if (abandoned_) return;
  for (const vidmm::PagingStep& step : steps) {
    for (const auto& operation : paging_.for_step(step)) queue(operation);
    residency_.plan(step);
  }
}

bool VidMmWorker::marker_lies_in(std::uint32_t segment, std::uint32_t page,
                                 std::uint32_t pages) const {
  const PlaceInSegment place = residency_.planned(kMarkerAllocation);
  return place.segment == segment && place.page >= page && place.page - page < pages;
}

void VidMmWorker::take(const Op& op) {
  const auto skip = [&](const char* why) { this->skip(op.kind, why); };
  wait_for_earlier_work();
  if (abandoned_) return;
  vidmm::VidMm& vidmm = residency_.vidmm();
  const AllocationId id{op.kind == OpKind::DestroyAllocation ? op.x : op.a};
  const bool about_allocation = op.kind != OpKind::TransferSegments &&
                                op.kind != OpKind::MapAperture && op.kind != OpKind::UnmapAperture;
  if (about_allocation && !vidmm.exists(id)) return skip("VidMm does not know the allocation");
  const bool resident = about_allocation && vidmm.allocation(id).resident();
  switch (op.kind) {
    case OpKind::DestroyAllocation:
      return carry_out(op.kind, vidmm::Destroy{id});
    case OpKind::MakeResident:
      return carry_out(op.kind, vidmm::MakeResident{id});
    case OpKind::Evict:
      return carry_out(op.kind, vidmm::Evict{id});
    case OpKind::Move:
      return carry_out(op.kind, vidmm::Move{id});
    case OpKind::FillMemory:
      if (!resident || residency_.is_aperture(residency_.planned(op.a).segment)) {
        return skip("Fill needs an allocation that lies in a memory segment");
      }
      return queue(paging_.fill(op.a, op.z));
    case OpKind::Discard:
      if (!resident) return skip("it is not resident");
      return queue(paging_.discard(op.a));
    case OpKind::CpuWrite:
      if (!memory_.cpu_write(op.a, op.x, op.z)) return skip("the CPU cannot write there");
      return vidmm.mark_written(id);
    case OpKind::TransferSegments:
      if (!memory_.follows(op.a, op.x, op.z) || !memory_.follows(op.b, op.y, op.z)) {
        return skip("the pages are not in the segments");
      }
      if (op.a == op.b && std::max(op.x, op.y) - std::min(op.x, op.y) < op.z) {
        return skip("the places overlap: what a Transfer makes of that is not laid down");
      }
      if (marker_lies_in(op.b, op.y, op.z)) {
        return skip("the words that tell whether packets have run lie there");
      }
      return queue(paging_.transfer(op.a, op.x, op.b, op.y, op.z));
    case OpKind::MapAperture: {
      const std::uint32_t segment = residency_.aperture_segment();
      if (segment == 0 || !memory_.follows(segment, op.x, op.y)) {
        return skip("there is no aperture segment with these pages");
      }
      if (op.y + op.a > memory::frames_available()) return skip("there is no memory left to map");
      if (!vidmm.set_aside(SegmentId{segment}, op.x, op.y)) return skip("the pages are not free");
      std::vector<memory::Frame> frames(op.y + op.a);
      memory::frames_allocate(frames, memory::FrameOwner::Allocation);
      maps_.push_back({op.x, op.y, frames});
      return queue(paging_.map(op.x, frames, op.a));
    }
    case OpKind::UnmapAperture: {
      const auto found = std::find_if(maps_.begin(), maps_.end(),
                                      [&](const RawMap& map) { return map.page == op.x; });
      if (found == maps_.end()) return skip("nothing was mapped there");
      queue(paging_.unmap(found->page, found->pages, std::move(found->frames)));
      vidmm.give_back(SegmentId{residency_.aperture_segment()}, found->page);
      maps_.erase(found);
      return;
    }
    default:
      return;
  }
}

}  // namespace wddm::host
