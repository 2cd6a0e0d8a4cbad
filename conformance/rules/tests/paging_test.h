// A trace in which a paging operation was built, executed and compared with the prediction.
#pragma once

#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm {

class PagingTest : public TraceTest {
 protected:
  static constexpr std::uint32_t kInsufficient = 0xC01E0001;

  void built(std::uint32_t operation, const PagingArguments& arguments = {},
             const ev::PagingBuilt& call = {}) {
    ev::PagingBuilt of = call;
    of.operation = operation;
    add(of, std::vector<PagingArguments>{arguments});
  }
  void done(std::uint32_t operation, std::uint32_t packet = 1, std::uint32_t passes = 1,
            std::uint32_t patched = 1) {
    add(ev::PagingDone{
        .operation = operation, .packet = packet, .passes = passes, .patched = patched});
  }
  void checked(std::uint32_t operation, std::uint32_t packet = 1) {
    add(ev::MemoryChecked{.cause = static_cast<std::uint32_t>(MemoryCause::Paging),
                          .object = packet,
                          .operation = operation});
  }
  void differs(std::uint32_t operation, std::uint32_t packet = 1) {
    add(ev::MemoryDiffers{.length = 4,
                          .cause = static_cast<std::uint32_t>(MemoryCause::Paging),
                          .cause_object = packet,
                          .operation = operation});
  }
};

}  // namespace wddm
