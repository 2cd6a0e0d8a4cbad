#include "conformance/host/vidmm/vidmm_worker.h"

#include <utility>

namespace wddm::host {

VidMmWorker::VidMmWorker(const Adapter& adapter, Objects& objects, Residency& residency,
                         PredictedMemory& memory, VidSchWorker& vidsch, const Choices& choices)
    : adapter_(adapter),
      residency_(residency),
      memory_(memory),
      scene_{objects, residency},
      waits_(vidsch),
      builder_(adapter, memory, waits_, choices),
      queue_(scene_, residency, memory, builder_, vidsch, waits_, choices),
      mappings_(residency),
      buffers_(adapter, residency, queue_, vidsch, waits_, choices) {}

void VidMmWorker::begin() {
  planner_.emplace(adapter_.slots());
  mappings_.begin();
  if (!started_) nt::spawn_host_thread("VidMm worker", &VidMmWorker::thread, this);
  started_ = true;
}

bool VidMmWorker::allocation_created(AllocationId id) {
  if (!residency_.created(id)) return false;
  if (memory_.created(id)) return true;
  residency_.forget(id);
  return false;
}

void VidMmWorker::enqueue(std::unique_ptr<RenderBuffer> buffer) {
  jobs_.push_back(std::move(buffer));
  wake_.set();
}

void VidMmWorker::enqueue(Request request, const Op& op) {
  jobs_.push_back(RequestJob{request, op});
  wake_.set();
}

void VidMmWorker::enqueue_destruction(AllocationId id) {
  enqueue(requests::destroy_allocation, {.kind = OpKind::DestroyAllocation, .x = id.value});
}

void VidMmWorker::abandon() {
  jobs_.clear();
  waits_.abandon();
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
      waits_.begin_job();
      std::visit([this](auto& taken) { take(taken); }, job);
      waits_.end_job();
      ++progress_;
    }
  }
}

void VidMmWorker::take(std::unique_ptr<RenderBuffer>& buffer) {
  buffers_.take(std::move(buffer), *planner_);
}

// A request looks at what memory holds, so it comes after all that earlier work does to it.
void VidMmWorker::take(const RequestJob& job) {
  waits_.for_earlier_work();
  if (waits_.abandoned()) return;
  const RequestScene scene{residency_, memory_, scene_, queue_, mappings_, waits_, *planner_};
  const char* const skipped = job.request(scene, job.op);
  if (skipped == nullptr) return;
  session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(job.op.kind)}, skipped);
}

}  // namespace wddm::host
