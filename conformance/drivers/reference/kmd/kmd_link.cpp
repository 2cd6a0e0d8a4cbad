// Two GPUs in a link. Dxgkrnl adds each as a device of its own and speaks to the one that leads;
// what it says of another GPU goes from there to the adapter that has its registers.
#include "kmd_adapter.h"

namespace reference_kmd {

namespace {

constexpr ULONG kChain = 0x4c4e4b31;  // one link in all

// Between its AddDevice and its RemoveDevice.
Adapter* g_lead = nullptr;

}  // namespace

NTSTATUS Adapter::link(LINKED_DEVICE* description) {
  if (g_lead == nullptr) g_lead = this;
  if (g_lead != this) {
    lead_ = g_lead;
    index_ = 1;
    lead_->gpus_[index_] = this;
  }
  dxgkrnl_.set_engine_ordinal(index_);
  description->ChainUid = kChain;
  description->NumberOfLinksInChain = gpus_of_link();
  description->LeadLink = lead_ == this;
  return STATUS_SUCCESS;
}

void Adapter::unlink() {
  if (g_lead == this) g_lead = nullptr;
  if (lead_ != this) lead_->gpus_[index_] = nullptr;
  for (Adapter*& other : gpus_) {
    if (other != nullptr) other->lead_ = other;
    other = nullptr;
  }
}

// Each GPU learns where the other's video memory is, once both have started or have power again.
void Adapter::meet_peers() {
  for (Adapter* other : lead_->gpus_) {
    if (other == nullptr || other == this || !other->registers_.mapped()) continue;
    meet(*other);
    other->meet(*this);
  }
}

void Adapter::meet(const Adapter& peer) {
  const auto memory = static_cast<ULONGLONG>(peer.registers_.video_memory().QuadPart);
  page_tables_.set_peer_memory(memory);
  registers_.write64(HW_REG_PEER_BASE, memory);
}

}  // namespace reference_kmd
