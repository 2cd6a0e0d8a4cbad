// The toy as a program under test for minimizers of others: crashes if the bug shows. TOY_HANDLES=
// ordinal changes the handles; TOY_COUNT names a file of 8 bytes in which executions are counted.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "fuzz/bench/toy_machine.h"

namespace {

void count_execution() {
  const char* const path = std::getenv("TOY_COUNT");
  const int file = path ? ::open(path, O_RDWR) : -1;
  if (file < 0) return;
  std::uint64_t count = 0;
  if (::pread(file, &count, sizeof(count), 0) == sizeof(count)) {
    ++count;
    static_cast<void>(!::pwrite(file, &count, sizeof(count), 0));
  }
  ::close(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wddm::fuzz;
  count_execution();
  std::vector<toy::Op> ops(size / sizeof(toy::Op));
  if (!ops.empty()) std::memcpy(ops.data(), data, ops.size() * sizeof(toy::Op));
  const char* const handles = std::getenv("TOY_HANDLES");
  const bool ordinal = handles && std::string_view(handles) == "ordinal";
  if (toy::bug_shows(ops, ordinal ? toy::Handles::Ordinal : toy::Handles::Explicit)) std::abort();
  return 0;
}
