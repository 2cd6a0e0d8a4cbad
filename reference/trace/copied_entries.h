// Where the entries of a CopyPageTableEntries came from: the blob of EntriesCopied.
#pragma once

#include <cstdint>

namespace wddm {

struct CopiedFrom {
  std::uint64_t source_va = 0;  ///< what the first entry of the source stands for
  std::uint64_t first_va = 0;   ///< ... and that of the destination, each in its own space
  std::uint32_t source_process = 0;
  std::uint32_t reserved = 0;
};

}  // namespace wddm
