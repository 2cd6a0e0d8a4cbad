// A host without a driver, for tests of harness and runner: it does what the scenario's name says.
//
// It takes the place of wddm_host at link time. A scenario called "crash" crashes; any name that
// isn't a behaviour is quiet. A "driver" is a text file whose lines change that:
//   load: refuse TEXT | load: crash | load: loop     what load() does
//   NAME: BEHAVIOUR                                  for scenarios of that name; "*" for all
// Behaviours are listed in fake_host.cpp.
#pragma once

namespace wddm::fake {

/// Name of the environment variable with the path of a file that "flaky" counts its runs in.
inline constexpr const char* kFlakyFile = "WDDM_FAKE_FLAKY";

}  // namespace wddm::fake
