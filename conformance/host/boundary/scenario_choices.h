// Where Windows may choose: what a scenario decided, in force until it decides again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "reference/trace/op.h"
#include "reference/types.h"

namespace wddm::host {

struct Choices {
  Take take = Take::None;
  std::uint32_t take_mask = 0;
  PrepatchMode prepatch = PrepatchMode::Auto;
  bool interleave = false;
  bool scramble = false;
  std::uint32_t repatch = 0;
  std::uint32_t paging_bytes = 0;  ///< 0: what the driver asked for
  Measure paging_measure = Measure::Absolute;
  bool paging_packed = true;  ///< operations share a buffer until it is full
  bool await_paging = false;  ///< VidMm has one paging buffer, which is free once it has run
  bool patch_paging = true;
  std::uint32_t transfer_chunk_pages = 0;  ///< 0: whole; see chunk_of()
  bool across_leaves = false;  ///< from the next start on parts are shown across leaf tables
  std::uint32_t queue_depth = 1;
  bool required_only = false;  ///< nothing is brought in for a buffer
  bool careless = false;       ///< ... and clients submit what uses more
  bool hurry = false;          ///< clients do not wait for paging fences
  /// How UpdateGpuVirtualAddress is called.
  struct TileUpdates {
    ContextId context{};
    std::uint32_t fence = 0;  ///< 0: with all other paging
    bool do_not_wait = false;
    std::uint32_t repeated_pages = 0;
    Protection protection = Protection::ReadWrite;
    std::uint64_t driver_protection = 0;
  } tile_updates;
  EngineId paging_engine{};            ///< the driver's choice, known once the adapter runs
  std::uint32_t physical_adapter = 0;  ///< one of the link
  bool keep_stopped = false;           ///< preempted packets wait, until somebody waits for them
  /// Where the GPU advances inside calls of the driver.
  struct Inside {
    std::uint32_t point = 0;  ///< of each call, from 1 on; 0: all of them
    std::uint32_t units = 0;  ///< 0: nowhere
  } inside;
  bool share = false;             ///< allocations are made as parts of shared resources
  std::uint32_t together = 1;     ///< so many of one resource, in one call
  std::uint32_t first_fence = 0;  ///< 0: numbers go on
  bool prefill = false;           ///< where a driver is to answer stands a pattern
  bool null_rendering = false;    ///< of clients' buffers nothing runs
  bool page_ahead = false;        ///< what maps an aperture waits for no earlier work
  bool keep_state = false;        ///< clients count on what their contexts have set
  bool alternate_passes = false;  ///< of Render, where contexts of two devices render at once

  /// Pages of each part of a transfer of so many, of which there are at most `parts`; 0: whole.
  /// Where hundreds of parts follow each other one more shows nothing new, and thousands would be
  /// all that a trace has room for.
  [[nodiscard]] std::uint32_t chunk_of(std::uint32_t pages, std::uint32_t parts = 256) const {
    if (transfer_chunk_pages == 0) return 0;
    return std::max(transfer_chunk_pages, (pages + parts - 1) / parts);
  }
};

}  // namespace wddm::host
