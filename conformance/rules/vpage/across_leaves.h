// Scenario text: from here on what is shown to a driver lies across borders of the paging process's
// leaf tables, for what else shows contents in one of them.
#pragma once

#define WDDM_SHOWS_ACROSS_LEAVES              \
  "# The same across two leaf tables.\n"      \
  "- stop\n"                                  \
  "- transfer_chunk: {across_leaves: true}\n" \
  "- start\n"
