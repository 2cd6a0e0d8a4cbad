#include "conformance/host/vidmm/job_waits.h"

namespace wddm::host {

void JobWaits::begin_job() {
  working_ = true;
  abandoned_ = false;
}

void JobWaits::for_earlier_work() {
  while (vidsch_.packets().size() != 0 && !abandoned_) {
    vidsch_.retired_event().wait("the end of earlier packets");
  }
}

void JobWaits::for_paging() {
  while (vidsch_.packets().is_paging() && !abandoned_) {
    vidsch_.retired_event().wait("the end of earlier paging");
  }
}

void JobWaits::for_work_of(const Objects& objects, ProcessId process) {
  while (!abandoned_ &&
         (vidsch_.packets().is_paging() || vidsch_.packets().has_work_of(objects, process))) {
    vidsch_.retired_event().wait("the end of earlier packets of a process");
  }
}

void JobWaits::for_paging_of(const RenderBuffer& buffer) {
  while (vidsch_.packets().is_paging(buffer.allocations) && !abandoned_) {
    vidsch_.retired_event().wait("the paging of an earlier buffer");
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
