// The GPUs of a link: how many there are, and which of them Dxgkrnl speaks to. The driver says, one
// by one: LeadLink may be that of any (LINKED_DEVICE), and its PhysicalAdapterIndex is 0.
#include <algorithm>
#include <utility>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

// A limit of ours: each has BARs of its own.
constexpr ULONG kMostLinks = 4;

}  // namespace

std::uint32_t Adapter::ask_for_link(std::uint32_t index) {
  PhysicalAdapter& adapter = physical_[index];
  adapter.leads = false;
  if (!may_call(DdiId::LinkDevice)) return 0;
  LINKED_DEVICE link{};
  const NTSTATUS status =
      call_ddi<DdiId::LinkDevice>(kNone, adapter.device, adapter.miniport, &link);
  session().tap(ev::DeviceLinked{.physical_adapter = index,
                                 .status = static_cast<std::uint32_t>(status),
                                 .chain = link.ChainUid,
                                 .links = link.NumberOfLinksInChain,
                                 .lead = link.LeadLink != FALSE});
  adapter.leads = NT_SUCCESS(status) && link.LeadLink != FALSE;
  return NT_SUCCESS(status) && link.NumberOfLinksInChain > 1 ? link.NumberOfLinksInChain : 0;
}

// Asked right after AddDevice. What is not whole does not start. Without a device there is nothing
// to plug in.
bool Adapter::enumerate_link() {
  const std::uint32_t links = ask_for_link(0);
  if (links == 0 || links > kMostLinks || !bus_.present()) return true;
  while (physical_.size() < links) {
    const std::uint32_t index = physical_adapters();
    if (bus_.devices() == index) bus_.plug_in();
    physical_.emplace_back().device = make_device_object();
    if (!add(index)) {
      physical_.pop_back();
      return false;
    }
    if (ask_for_link(index) != links) return false;
  }
  put_lead_first();
  return true;
}

// No device has been started by then: which of those on the bus is whose is not settled either.
void Adapter::put_lead_first() {
  const auto lead = std::find_if(physical_.begin(), physical_.end(),
                                 [](const PhysicalAdapter& each) { return each.leads; });
  if (lead == physical_.end()) return;
  lead_was_ = static_cast<std::size_t>(lead - physical_.begin());
  swap_with_lead();
}

void Adapter::swap_with_lead() {
  std::swap(physical_.front().device, physical_[lead_was_].device);
  std::swap(physical_.front().miniport, physical_[lead_was_].miniport);
}

void Adapter::forget_link() {
  swap_with_lead();
  lead_was_ = 0;
  physical_.resize(1);
}

}  // namespace wddm::host
