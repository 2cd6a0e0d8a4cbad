#include "conformance/rules/res/client_history.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace wddm::res {
namespace {

constexpr std::uint32_t kMakeResident = 0;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kPeriodic = 1, kRestartPeriodic = 2, kToBudget = 4;
constexpr std::uint32_t kCantTrimFurther = 1, kMustSucceed = 2, kNotWrittenTo = 8;

struct Client {
  gpuva::ResidencyClient judge;
  std::set<std::uint32_t> known;  // allocations
  std::uint64_t buffers = 0;

  void meet(std::span<const AllocationId> list,
            const std::map<std::uint32_t, std::uint64_t>& pages) {
    for (const AllocationId id : list) {
      if (!known.insert(id.value).second) continue;
      const auto size = pages.find(id.value);
      static_cast<void>(judge.judge(gpuva::ClientAllocation{
          .allocation = id, .pages = size == pages.end() ? 1 : size->second}));
    }
  }
};

bool succeeded(gpuva::ResidencyStatus status) {
  return status == gpuva::ResidencyStatus::Ok || status == gpuva::ResidencyStatus::Pending;
}

std::vector<AllocationId> list_of(const Trace& trace, std::uint32_t index) {
  std::vector<AllocationId> list;
  for (const std::uint32_t id : trace.blob<std::uint32_t>(trace.events()[index])) {
    list.push_back(AllocationId{id});
  }
  return list;
}

gpuva::ClientEvent event_of(const ev::ResidencyAsked& asked, std::span<const AllocationId> list) {
  const auto status = static_cast<gpuva::ResidencyStatus>(asked.status);
  if (asked.request == kMakeResident) {
    return gpuva::ClientMade{.allocations = list,
                             .cant_trim_further = (asked.flags & kCantTrimFurther) != 0,
                             .must_succeed = (asked.flags & kMustSucceed) != 0,
                             .status = status,
                             .fence_value = asked.fence_value};
  }
  return gpuva::ClientEvicted{.allocations = list,
                              .not_written_to = (asked.flags & kNotWrittenTo) != 0};
}

}  // namespace

ClientHistory::ClientHistory(const Trace& trace) {
  std::map<std::uint32_t, Client> clients;       // by device
  std::map<std::uint32_t, std::uint64_t> pages;  // by allocation
  for (const std::uint32_t index :
       trace.of_any<ev::AllocationCreated, ev::DeviceCreated, ev::ResidencyAsked,
                    ev::PagingFenceWaited, ev::BufferBuilt, ev::TrimAsked>()) {
    const EventKind kind = trace.events()[index].kind;
    if (kind == EventKind::DeviceCreated) {
      clients.erase(trace.at<ev::DeviceCreated>(index).device);
      continue;
    }
    if (kind == EventKind::AllocationCreated) {
      // Another one in the slot.
      const auto created = trace.at<ev::AllocationCreated>(index);
      pages[created.allocation] = (created.size + kPage - 1) / kPage;
      for (auto& [device, client] : clients) client.known.erase(created.allocation);
      continue;
    }
    const auto judge = [&](Client& client, const gpuva::ClientEvent& event) {
      for (const gpuva::ClientVerdict& verdict : client.judge.judge(event)) {
        faults_.push_back({index, verdict.what, verdict.allocation});
      }
    };
    if (kind == EventKind::ResidencyAsked) {
      const auto asked = trace.at<ev::ResidencyAsked>(index);
      const std::vector<AllocationId> list = list_of(trace, index);
      const bool made = asked.request == kMakeResident;
      clients[asked.device].meet(list, pages);
      (made ? requests_ : evictions_).push_back(index);
      // An eviction that was refused is none.
      if (made || succeeded(static_cast<gpuva::ResidencyStatus>(asked.status))) {
        judge(clients[asked.device], event_of(asked, list));
      }
    } else if (kind == EventKind::PagingFenceWaited) {
      const auto waited = trace.at<ev::PagingFenceWaited>(index);
      Client& client = clients[waited.device];
      if (waited.context == kNone) {
        judge(client, gpuva::ClientSaw{waited.value});
      } else {
        judge(client, gpuva::ClientWaits{ContextId{waited.context}, waited.value});
      }
    } else if (kind == EventKind::TrimAsked) {
      const auto asked = trace.at<ev::TrimAsked>(index);
      Client& client = clients[asked.device];
      if (asked.stage == 0) {
        // The host lets all work end first.
        judge(client, gpuva::ClientCompleted{client.buffers});
        judge(client, gpuva::TrimBegins{.periodic = (asked.flags & kPeriodic) != 0,
                                        .restart_periodic = (asked.flags & kRestartPeriodic) != 0,
                                        .to_budget = (asked.flags & kToBudget) != 0,
                                        .bytes = asked.bytes});
      } else {
        trims_.push_back(index);
        judge(client, gpuva::TrimEnds{});
      }
    } else {
      const auto built = trace.at<ev::BufferBuilt>(index);
      if (built.required_only == 0) continue;  // VidMm brings in what it uses
      Client& client = clients[built.device];
      std::vector<AllocationId> uses;
      std::vector<AllocationId> written;
      for (const AllocationRecord& use : trace.blob<AllocationRecord>(trace.events()[index])) {
        uses.push_back(AllocationId{use.allocation});
        if (use.write != 0) written.push_back(AllocationId{use.allocation});
      }
      client.meet(uses, pages);
      if (!uses.empty()) buffers_.push_back(index);
      judge(client, gpuva::ClientSubmitted{ContextId{built.context}, ++client.buffers, uses});
      for (const AllocationId id : written) judge(client, gpuva::GpuWrote{id});
    }
  }
}

void judge_client(const Trace& trace, Judgement& judgement, std::span<const std::uint32_t> reached,
                  std::initializer_list<gpuva::ClientFault> kinds, const char* expected,
                  const char* seen) {
  for (const std::uint32_t index : reached) judgement.reached(index);
  for (const ClientHistory::Fault& fault : trace.ledger<ClientHistory>().faults()) {
    if (std::find(kinds.begin(), kinds.end(), fault.what) == kinds.end()) continue;
    judgement.fail(fault.event, expected,
                   seen + std::string(", allocation ") + std::to_string(fault.allocation.value));
  }
}

NotApplicable client_residency(const Platform& platform) {
  return virtual_rendering(platform);
}

}  // namespace wddm::res
