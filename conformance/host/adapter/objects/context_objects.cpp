#include "conformance/host/adapter/objects/context_objects.h"

#include <algorithm>

#include "conformance/host/adapter/objects/context_data.h"
#include "conformance/host/adapter/objects/data_for_call.h"
#include "conformance/host/adapter/objects/object_handles.h"
#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/adapter/prefilled_answer.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {

std::optional<ContextId> Contexts::named_by(HANDLE os_handle) {
  const std::uint32_t number = number_named_by(kContextHandles, os_handle);
  return number < kSlots + kMostNodes ? std::optional(ContextId{number}) : std::nullopt;
}

void Contexts::create_those_of_system() {
  adapter_.for_each_engine([this](EngineId engine) {
    const std::uint32_t number = number_of(engine);
    if (number >= kMostNodes) return;
    create(ContextId{kSlots + number}, kSystemDevice, engine);
  });
}

// Those of GPU 0 come first.
std::uint32_t Contexts::number_of(EngineId engine) const {
  return engine.physical_adapter * adapter_.nodes() + engine.node.value;
}

HANDLE Contexts::of_system(EngineId engine) const {
  engine.node = std::min(engine.node, NodeId{adapter_.nodes() - 1});
  return contexts_[ContextId{kSlots + std::min(number_of(engine), kMostNodes - 1)}].driver;
}

// Nothing is asked of the driver: for Dxgkrnl it is a context, for the driver its device.
bool Contexts::stand_in(ContextId id, DeviceId device, EngineId engine) {
  const DXGK_DEVICEINFO& wanted = objects_.device(device).info;
  refusal_ = "the driver has no contexts, and wants no DMA buffers for its device";
  if (wanted.DmaBufferSize == 0) return false;
  DXGK_CONTEXTINFO info{};
  info.DmaBufferSize = wanted.DmaBufferSize;
  info.DmaBufferSegmentSet = wanted.DmaBufferSegmentSet;
  info.DmaBufferPrivateDataSize = wanted.DmaBufferPrivateDataSize;
  info.AllocationListSize = wanted.AllocationListSize;
  info.PatchLocationListSize = wanted.PatchLocationListSize;
  contexts_[id] = {true, device, engine, objects_.device(device).driver, info, false, 0};
  contexts_[id].left_private_data = std::make_shared<LeftPrivateData>();
  return true;
}

void Contexts::tell_handle(DdiId ddi, ContextId context, HANDLE given) const {
  if (adapter_.has_contexts()) return;
  const DeviceId device = contexts_[context].device;
  const bool of_device = given == objects_.device(device).driver;
  session().tap(ev::DeviceHandleGiven{.ddi = static_cast<std::uint32_t>(ddi),
                                      .device = device.value,
                                      .context = context.value,
                                      .handle = given == nullptr ? 0u
                                                : of_device      ? 1u
                                                                 : 2u});
}

bool Contexts::create(ContextId id, DeviceId device, EngineId engine, ContextUse use) {
  refusal_ = contexts_[id].live ? "the slot is in use" : "no such device or node";
  if (contexts_[id].live || !objects_.device(device).live || !adapter_.has(engine)) return false;
  if (!adapter_.has_contexts()) return use != ContextUse::Test && stand_in(id, device, engine);
  refusal_ = "the driver refused";
  if (!may_call(DdiId::CreateContext)) return false;
  ContextData data;
  // One of the system's has no user mode behind it, which the data would be from.
  const bool of_client = use != ContextUse::Test && device != kSystemDevice;
  if (of_client && objects_.client() != nullptr) {
    data.ask(*objects_.client(), objects_.client_instance(), engine);
  }
  const std::uint32_t whole = data.size;
  if (use == ContextUse::WithheldData) data.size = 0;
  DXGKARG_CREATECONTEXT create{};
  create.Flags.SystemContext = device == kSystemDevice;
  create.Flags.TestContext = use == ContextUse::Test;
  std::vector<std::uint8_t> bytes(data.bytes, data.bytes + data.size);
  const DataForCall given(bytes);
  create.pPrivateDriverData = given.place();
  create.PrivateDriverDataSize = data.size;
  if (!NT_SUCCESS(call_create(id, device, engine, create, whole))) return false;
  contexts_[id].withheld_data = data.size < whole;
  return true;
}

NTSTATUS Contexts::create_with(ContextId id, DeviceId device, EngineId engine, void* data,
                               UINT bytes) {
  DXGKARG_CREATECONTEXT create{};
  create.pPrivateDriverData = bytes == 0 ? nullptr : data;
  create.PrivateDriverDataSize = bytes;
  return call_create(id, device, engine, create, create.PrivateDriverDataSize);
}

// It runs what the kernel builds, in the process of the context: a system context of its device.
bool Contexts::create_companion(ContextId context) {
  const ContextObject& object = contexts_[context];
  const ContextId id = companion_of(context);
  const EngineId engine{.node = NodeId{object.info.PagingCompanionNodeId},
                        .physical_adapter = object.engine.physical_adapter};
  if (contexts_[id].live || !object.live || !may_call(DdiId::CreateContext)) return false;
  DXGKARG_CREATECONTEXT create{};
  create.Flags.SystemContext = 1;
  const bool possible = adapter_.has(engine);
  const NTSTATUS status =
      possible ? call_create(id, object.device, engine, create, 0) : STATUS_INVALID_PARAMETER;
  const ProcessId process = objects_.device(object.device).process;
  session().tap(ev::CompanionCreated{.companion = id.value,
                                     .context = context.value,
                                     .process = process.value,
                                     .space = privileged_space_of(process).value,
                                     .node = engine.node.value,
                                     .engine = engine.physical_adapter,
                                     .status = static_cast<std::uint32_t>(status),
                                     .named_node = object.info.PagingCompanionNodeId});
  return NT_SUCCESS(status);
}

NTSTATUS Contexts::call_create(ContextId id, DeviceId device, EngineId engine,
                               DXGKARG_CREATECONTEXT& create, std::uint32_t whole) {
  create.hContext = os_handle(kContextHandles, id);
  create.NodeOrdinal = engine.node.value;
  create.EngineAffinity = engine.affinity() - decisions().commits(OracleFault::AffinityIsOrdinal);
  create.Flags.VirtualAddressing = adapter_.has_virtual_addresses();
  const bool is_test = create.Flags.TestContext != 0;
  const bool newer = Adapter::knows(InterfaceVersion::Wddm2_0);  // else nothing lies behind that
  DXGK_CONTEXTINFO& answer = create.ContextInfo;
  PrefilledAnswer prefilled(
      newer ? WDDM_ANSWER(DXGK_CONTEXTINFO, answer, DmaBufferSize, PagingCompanionNodeId)
            : WDDM_ANSWER(DXGK_CONTEXTINFO, answer, DmaBufferSize, PatchLocationListSize),
      objects_.prefills());
  // Its driver may ask for memory of the context meanwhile.
  contexts_[id].device = device;
  contexts_[id].engine = engine;
  const NTSTATUS status =
      call_ddi<DdiId::CreateContext>(id, objects_.device(device).driver, &create);
  if (NT_SUCCESS(status)) prefilled.read(DdiId::CreateContext, id.value, 0);
  const DXGK_CONTEXTINFO& info = create.ContextInfo;
  const HandleJudged judged =
      NT_SUCCESS(status)
          ? judge_handle(create.hContext, os_handle(kContextHandles, id), kAllContexts, contexts_)
          : HandleJudged{};
  session().tap(ev::ContextCreated{.context = id.value,
                                   .status = static_cast<std::uint32_t>(status),
                                   .node = engine.node.value,
                                   .dma_bytes = info.DmaBufferSize,
                                   .dma_segments = info.DmaBufferSegmentSet,
                                   .private_bytes = info.DmaBufferPrivateDataSize,
                                   .allocations = info.AllocationListSize,
                                   .patches = info.PatchLocationListSize,
                                   .caps = info.Caps.Value,
                                   .engine = engine.physical_adapter,
                                   .companion_node = info.PagingCompanionNodeId,
                                   .handle = judged.handle,
                                   .same_as = judged.same_as,
                                   .flags = create.Flags.Value,
                                   .given = create.PrivateDriverDataSize,
                                   .whole = whole});
  if (NT_SUCCESS(status)) {
    contexts_[id] = {true, device, engine, create.hContext, info, is_test, ++made_};
    contexts_[id].left_private_data = std::make_shared<LeftPrivateData>();
  }
  return status;
}

void Contexts::destroy(ContextId id) {
  ContextObject& context = contexts_[id];
  if (!context.live) return;
  if (id < ContextId{kSlots}) destroy(companion_of(id));
  if (adapter_.has_contexts() && may_call(DdiId::DestroyContext)) {
    call_ddi<DdiId::DestroyContext>(id, context.driver);
  }
  context = {};
}

void Contexts::destroy_those_of(DeviceId device) {
  for (const ContextId id : kAllContexts) {
    if (contexts_[id].live && contexts_[id].device == device) destroy(id);
  }
}

}  // namespace wddm::host
