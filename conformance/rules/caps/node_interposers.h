// Drivers that say other things of their nodes.
#pragma once

#include <memory>

#include "conformance/host/interposer.h"

namespace wddm::answers {

template <NTSTATUS (*kAlter)(UINT node, DXGKARG_GETNODEMETADATA& metadata, NTSTATUS status)>
class AltersNodes final : public Interposer {
 public:
  NTSTATUS GetNodeMetadata(HANDLE adapter, UINT node, DXGKARG_GETNODEMETADATA* metadata) override {
    const NTSTATUS status = Interposer::GetNodeMetadata(adapter, node, metadata);
    return kAlter(node, *metadata, status);
  }
};
template <NTSTATUS (*kAlter)(UINT node, DXGKARG_GETNODEMETADATA& metadata, NTSTATUS status)>
std::unique_ptr<Interposer> alters_nodes() {
  return std::unique_ptr<Interposer>(new AltersNodes<kAlter>);
}

}  // namespace wddm::answers
