// What clients of WDDM 2 ask of residency: which allocations are resident for whom, the oracle
// decides (reference/gpuva/device_residency.h); this plays the client, and carries out what
// follows.
//
// Runs on the VidMm worker, but for what a client does before it submits. The client holds to the
// rules of RES-006..009: it waits for the paging fence of what is on its way before it uses it,
// trims and asks again where memory or budget are short, uses nothing that it evicted, and says
// that the GPU has not written what it has not written. All is told in events, by which it is
// judged. Paging of one request is done before the next one is looked at, and before the paging
// fence of its device gets the value that the client was told (VA-014).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "reference/gpuva/device_residency.h"

namespace wddm::host {

/// How the host brings an allocation in or takes it out; null, or why it did not.
struct ClientPaging {
  std::function<const char*(AllocationId)> bring_in;
  std::function<const char*(AllocationId)> take_out;
  std::function<bool()> finish;  ///< Waits for what was queued; false if it was given up.
};

class ClientResidency {
 public:
  explicit ClientResidency(const Objects& objects) : objects_(objects) {}

  /// The adapter runs with so much memory: nobody requires anything.
  void begin(std::uint64_t capacity_pages);

  // Each is null, or says why it was not done.
  const char* require(DeviceId device, std::span<const AllocationId> list,
                      const ClientPaging& paging);
  const char* release(DeviceId device, std::span<const AllocationId> list,
                      const ClientPaging& paging);
  /// pfnTrimResidencySet; all that was submitted has ended. `flags`: WddmTrimFlags.
  const char* trim_set(DeviceId device, std::uint32_t flags, std::uint64_t bytes,
                       const ClientPaging& paging);
  /// The value that the paging fence of the device gets next, which is waited for behind a request
  /// of addresses; 0: the device is in error, or asks for no residency.
  [[nodiscard]] std::uint64_t next_fence(DeviceId device) const;
  /// That request was granted, and what it comes to is queued: the fence gets the value.
  void tables_updated(DeviceId device, const ClientPaging& paging);
  const char* set_budget(ProcessId process, std::uint64_t pages, const ClientPaging& paging);
  /// A buffer of the device is about to run: what others have taken from it while it did not comes
  /// back first. Of one that asks for nothing, or misses nothing, nothing follows.
  void make_ready(DeviceId device, const ClientPaging& paging);
  /// Memory is back after everything had to leave it: so is what is required.
  void restore(const ClientPaging& paging) const;
  /// It is about to be destroyed, and no work uses it.
  void forget(AllocationId allocation, const ClientPaging& paging);
  /// The same, and its allocations are gone.
  void forget(DeviceId device);

  struct Use {
    AllocationId allocation{};
    bool write = false;
  };
  /// A client is about to submit a buffer that uses these. False if it may not, for some of them
  /// are not required by its device. Of one that asks for nothing true.
  bool before_submission(ContextId context, std::span<const Use> uses);
  /// Whether it is one that asks for residency.
  [[nodiscard]] bool asks(ContextId context) const {
    return devices_.contains(objects_.context(context).device);
  }
  /// With patch lists: the first of these that the device of the context does not require.
  [[nodiscard]] std::optional<AllocationId> not_required(
      ContextId context, std::span<const AllocationId> listed) const;

 private:
  struct Client {
    std::map<AllocationId, std::uint64_t> on_their_way;  // fence values
    std::map<ContextId, std::uint64_t> waited;
    std::set<AllocationId> written;                  // since they were made resident
    std::vector<AllocationId> required;              // once for each time, the longest unused first
    std::map<AllocationId, std::uint64_t> last_use;  // fences of buffers, since then
    std::uint64_t buffers = 0;                       // submitted: the fence of the last
    std::uint64_t periodic_fence = 0;                // when it was last asked to trim
  };
  /// Those that the client evicts when it is asked to trim: the plug-in says which, or we do.
  [[nodiscard]] std::vector<AllocationId> to_trim(DeviceId device, std::uint32_t flags,
                                                  std::uint64_t bytes);
  [[nodiscard]] std::vector<AllocationId> own_choice(const Client& client,
                                                     std::span<const AllocationId> required,
                                                     std::uint32_t flags,
                                                     std::uint64_t bytes) const;

  const char* ready(DeviceId device, std::span<const AllocationId> list);
  [[nodiscard]] bool has_fence(DeviceId device) const {
    return oracle_ && devices_.contains(device);
  }
  gpuva::Answer ask(DeviceId device, std::span<const AllocationId> list, bool final_attempt,
                    const ClientPaging& paging);
  gpuva::Answer evict(DeviceId device, std::span<const AllocationId> list,
                      const ClientPaging& paging);
  using Told = std::function<void(const gpuva::Answer&)>;
  gpuva::Answer carry_out(const gpuva::ResidencyInput& input, const ClientPaging& paging,
                          const Told& told = {});
  /// Evicts what was not asked for just now, the longest unused first. False if there is nothing.
  bool trim(DeviceId device, std::span<const AllocationId> keep, std::uint64_t bytes,
            const ClientPaging& paging);
  void tell_counts(DeviceId device, std::span<const AllocationId> list) const;
  /// The same of one that was taken out, for all that require it.
  void tell_taken(AllocationId allocation) const;
  void run_at_once(DeviceId device, const ClientPaging& paging);

  const Objects& objects_;
  std::optional<gpuva::Residency> oracle_;
  std::uint64_t capacity_ = 0;
  std::map<DeviceId, Client> clients_;
  std::set<ProcessId> processes_;
  std::set<DeviceId> devices_;  // that ask for residency
  std::map<AllocationId, DeviceId> allocations_;
};

}  // namespace wddm::host
