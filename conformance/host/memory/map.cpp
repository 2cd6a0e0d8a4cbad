// The memory file and its fixed mappings.
//
// Mappings are shared, because one page must be visible at several addresses and because fork then
// copies no page tables. The price is that a forked child would write to its parent's memory, so a
// child calls map() and gets a file of its own; the zygote need not have mapped anything.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "conformance/host/memory/layout.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace internal {
namespace {

int g_file = -1;
pid_t g_owner = 0;
std::uint32_t g_generation = 0;
GivenBack g_given_back = GivenBack::Closed;
std::uint32_t g_closed_nth = 0;
std::uint32_t g_given = 0;  // buffers given back since reset

[[noreturn]] void fail(const char* what, std::uint64_t address) {
  std::fprintf(stderr, "HARNESS: memory: %s at %#llx: %s\n", what,
               static_cast<unsigned long long>(address), std::strerror(errno));
  std::fflush(nullptr);
  std::_Exit(kHarnessExitCode);
}

int open_file() {
  const int file = memfd_create("wddm-memory", MFD_CLOEXEC);
  if (file < 0) fail("memfd_create", 0);
  if (ftruncate(file, static_cast<off_t>(kFileSlots << kPageShift)) != 0) fail("ftruncate", 0);
  return file;
}

void* pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

// `placing` is MAP_FIXED_NOREPLACE the first time, MAP_FIXED in a child that inherited the regions.
void map_region(std::uint64_t address, std::uint64_t bytes, int placing, const Zone* zone) {
  const int protection = zone ? PROT_READ | PROT_WRITE : PROT_NONE;
  const int flags = placing | MAP_NORESERVE | (zone ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
  const off_t offset = zone ? static_cast<off_t>(zone->first_slot << kPageShift) : 0;
  const void* got = mmap(pointer(address), bytes, protection, flags, zone ? g_file : -1, offset);
  if (got != pointer(address)) fail("mmap of a fixed region", address);
}

void map_all(int placing) {
  map_region(kRamBase, (kScattered.pages + kHigh.pages + kLow.pages) << kPageShift, placing,
             &kScattered);
  map_region(kGuarded.view, kGuarded.pages << kPageShift, placing, &kGuarded);
  map_region(kArena.view, kArenaSize, placing, &kArena);
  map_region(kUser.view, kUserSize, placing, &kUser);
  map_region(kBar.view, kBarSize, placing, &kBar);
  map_region(kAliasBase, kAliasSize, placing, nullptr);
}

void reset_parts(bool fresh) {
  ++g_generation;
  g_given = 0;
  reset_faults();
  reset_arena(fresh);
  reset_frames();
  reset_aliases(fresh);
  reset_bars(fresh);  // asks what was written
  reset_written();
  reset_user(fresh);
  reset_guarded(fresh);
}

}  // namespace

bool map_slots(std::uint64_t address, std::uint64_t slot, std::uint64_t pages, int protection) {
  return mmap(pointer(address), pages << kPageShift, protection,
              MAP_SHARED | MAP_FIXED | MAP_NORESERVE, g_file,
              static_cast<off_t>(slot << kPageShift)) == pointer(address);
}

void map_nothing(std::uint64_t address, std::uint64_t pages) {
  if (pages == 0) return;
  if (mmap(pointer(address), pages << kPageShift, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != pointer(address))
    fail("unmapping", address);
}

void protect(std::uint64_t address, std::uint64_t bytes, int protection) {
  if (mprotect(pointer(address), bytes, protection) != 0) fail("mprotect", address);
}

void discard(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (madvise(pointer(address), bytes, MADV_REMOVE) != 0) fail("discarding", address);
}

bool keeps_open() {
  return g_given_back == GivenBack::Open;
}

bool closes_given_back() {
  ++g_given;
  return g_given_back == GivenBack::Closed || g_given == g_closed_nth;
}

std::uint32_t generation() {
  return g_generation;
}

}  // namespace internal

void map(GivenBack given_back, std::uint32_t closed_nth) {
  using namespace internal;
  const pid_t self = getpid();
  g_given_back = given_back;
  g_closed_nth = closed_nth;
  if (g_owner == self) return reset();
  const bool inherited = g_owner != 0;
  if (inherited) close(g_file);
  g_file = open_file();
  map_all(inherited ? MAP_FIXED : MAP_FIXED_NOREPLACE);
  g_owner = self;
  reset_parts(true);
}

void reset() {
  HARNESS_ASSERT(internal::g_owner == getpid());
  internal::reset_parts(false);
}

}  // namespace wddm::memory
