#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "conformance/host/memory/tests/arena_test_support.h"

namespace wddm::memory {
namespace {

using Map = MemoryTest;

// Runs `body` in a child process; returns its exit code, or minus the signal that ended it.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST_F(Map, ChildThatMapsAgainHasMemoryOfItsOwn) {
  auto* bytes = static_cast<std::uint8_t*>(arena_allocate(16, 16));
  *bytes = 1;
  EXPECT_EQ(in_child([&] {
              map();
              auto* own = static_cast<std::uint8_t*>(arena_allocate(16, 16));
              if (own != bytes || *own != 0) return 1;
              *own = 2;
              return 0;
            }),
            0);
  EXPECT_EQ(*bytes, 1);
}

TEST_F(Map, FramesOfAChildAreZeroWhateverItsParentsHold) {
  std::array<Frame, 4> frames;
  frames_allocate(frames, FrameOwner::Driver);
  for (const Frame frame : frames) frame_bytes_to_write(frame)[0] = 1;
  EXPECT_EQ(in_child([&] {
              map();
              frames_allocate(frames, FrameOwner::Driver);
              const auto zero = [](Frame frame) { return frame_bytes(frame)[0] == 0; };
              return std::all_of(frames.begin(), frames.end(), zero) ? 0 : 1;
            }),
            0);
}

TEST_F(Map, ChildHasTheParentsFrameNumbers) {
  std::array<Frame, 4> frames;
  frames_allocate(frames, FrameOwner::Driver);
  EXPECT_EQ(in_child([&] {
              map();
              std::array<Frame, 4> own;
              frames_allocate(own, FrameOwner::Driver);
              return own == frames ? 0 : 1;
            }),
            0);
}

TEST_F(Map, MappingAgainIsReset) {
  void* first = arena_allocate(16, 16);
  map();
  EXPECT_EQ(arena_allocate(16, 16), first);
}

TEST_F(Map, ForeignFaultsStillEndTheProcess) {
  EXPECT_EQ(in_child([] {
              std::signal(SIGSEGV, SIG_DFL);
              map();
              *reinterpret_cast<volatile int*>(kArenaBase - 4096) = 1;
              return 0;
            }),
            -SIGSEGV);
}

TEST_F(Map, ForeignTrapsStillEndTheProcess) {
  EXPECT_EQ(in_child([] {
              __asm__ volatile("int3");
              return 0;
            }),
            -SIGTRAP);
}

TEST_F(Map, HookSeesFaultsOutsideOfWatchedBuffers) {
  EXPECT_TRUE(read_faults(reinterpret_cast<void*>(kArenaBase - 4096)));
}

}  // namespace
}  // namespace wddm::memory
