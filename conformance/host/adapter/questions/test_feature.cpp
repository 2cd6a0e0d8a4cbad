// First, so that the GUID is defined here.
#include <initguid.h>

#include "conformance/host/adapter/questions/test_feature.h"

#include "conformance/host/adapter/questions/info_question.h"

namespace wddm::host {
namespace {

// The only one that there is.
constexpr DXGK_FEATURE_VERSION kVersion = 1;
// DISPLAY_ADAPTER_HW_ID
constexpr ULONG kAdapterUid = 0xFFFFFFFF;

bool ask_for_features(const Adapter& adapter, DXGKDDI_FEATURE_INTERFACE& said) {
  const Output output(sizeof(said), 0);
  QUERY_INTERFACE query{};
  query.InterfaceType = &GUID_WDDM_INTERFACE_FEATURE;
  query.Size = sizeof(said);
  query.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
  query.Interface = reinterpret_cast<PINTERFACE>(output.data());
  query.DeviceUid = kAdapterUid;
  const NTSTATUS status = call_ddi<DdiId::QueryInterface>(kNone, adapter.miniport(), &query);
  std::memcpy(&said, output.data(), sizeof(said));
  return NT_SUCCESS(status) && said.QueryFeatureSupport != nullptr &&
         said.QueryFeatureInterface != nullptr;
}

std::uint32_t references_of(const DXGKDDI_FEATURE_INTERFACE& features) {
  return (features.InterfaceReference != nullptr ? 1u : 0u) |
         (features.InterfaceDereference != nullptr ? 2u : 0u);
}

enum class Support { None, Elsewhere, Enabled };

// Elsewhere: in another configuration, or in a later version alone.
Support support_of(const Adapter& adapter, const DXGKDDI_FEATURE_INTERFACE& features) {
  DXGKARG_QUERYFEATURESUPPORT support{};
  support.FeatureId = DXGK_FEATURE_KERNEL_MODE_TESTING;
  const NTSTATUS status = call_ddi<DdiId::QueryFeatureSupport>(kNone, features.QueryFeatureSupport,
                                                               adapter.miniport(), &support);
  if (!NT_SUCCESS(status) || support.SupportedByDriver == 0) return Support::None;
  if (support.MaxSupportedVersion < kVersion) return Support::None;
  const bool here =
      support.SupportedOnCurrentConfig != 0 && support.MinSupportedVersion <= kVersion;
  return here ? Support::Enabled : Support::Elsewhere;
}

}  // namespace

const char* TestFeature::missing() {
  if (!asked_) missing_ = ask();
  asked_ = true;
  return missing_;
}

const char* TestFeature::ask() {
  builder_ = nullptr;
  if (!adapter_.has_virtual_addresses()) return "contexts have no virtual addresses";
  for (const DdiId needed : {DdiId::QueryInterface, DdiId::GetNodeMetadata}) {
    if (!may_call(needed)) return ddi_info(needed).absence;
  }
  if (!may_call(DdiId::BuildTestCommandBuffer)) return "the driver is older than WDDM 3.2";
  DXGKDDI_FEATURE_INTERFACE features;
  if (!ask_for_features(adapter_, features)) {
    session().tap(ev::TestingOffered{});
    return "the driver has no interface GUID_WDDM_INTERFACE_FEATURE";
  }
  const Support support = support_of(adapter_, features);
  if (support != Support::Enabled) {
    // One that has it elsewhere may know nodes for it all the same.
    if (support == Support::None) session().tap(ev::TestingOffered{});
    return "the driver does not support DXGK_FEATURE_KERNEL_MODE_TESTING";
  }
  const Output output(sizeof(DXGKDDI_KERNELMODETESTINGINTERFACE), 0);
  DXGKARG_QUERYFEATUREINTERFACE query{};
  query.FeatureId = DXGK_FEATURE_KERNEL_MODE_TESTING;
  query.Version = kVersion;
  query.InterfaceSize = sizeof(DXGKDDI_KERNELMODETESTINGINTERFACE);
  query.Interface = output.data();
  const NTSTATUS status = call_ddi<DdiId::QueryFeatureInterface>(
      kNone, features.QueryFeatureInterface, adapter_.miniport(), &query);
  DXGKDDI_KERNELMODETESTINGINTERFACE given;
  std::memcpy(&given, output.data(), sizeof(given));
  session().tap(ev::TestingOffered{.enabled = 1,
                                   .status = static_cast<std::uint32_t>(status),
                                   .size = query.InterfaceSize,
                                   .function = given.pfnBuildTestCommandBuffer != nullptr,
                                   .behind = output.behind(),
                                   .interface_size = features.Size,
                                   .interface_version = features.Version,
                                   .references = references_of(features)});
  if (!NT_SUCCESS(status) || given.pfnBuildTestCommandBuffer == nullptr) {
    return "the driver does not give the interface of kernel-mode testing";
  }
  builder_ = given.pfnBuildTestCommandBuffer;
  return nullptr;
}

const char* TestFeature::missing_on(EngineId engine) {
  if (const char* const why = missing()) return why;
  const UINT ordinal = engine.node.value | engine.physical_adapter << 16;
  const Output output(sizeof(DXGKARG_GETNODEMETADATA), 0);
  const NTSTATUS status =
      call_ddi<DdiId::GetNodeMetadata>(ordinal, adapter_.miniport(), ordinal,
                                       reinterpret_cast<DXGKARG_GETNODEMETADATA*>(output.data()));
  DXGKARG_GETNODEMETADATA said;
  std::memcpy(&said, output.data(), sizeof(said));
  const bool supports = NT_SUCCESS(status) && said.Flags.SupportBuildTestCommandBuffer != 0;
  return supports ? nullptr : "the node has no SupportBuildTestCommandBuffer";
}

}  // namespace wddm::host
