// Scenario text: every kind of work once more, behind what has taken from a device all that it was
// programmed with, or part of it. A driver that programs something at StartDevice alone is found
// wherever that is needed, by the clause of that need.
//
// Page faults are left out, since not every device survives them: MMU-013 has them. Retraces are
// INTR-014's.
#pragma once

// Of three packets the first is stopped in the middle and the others come off the queue; the GPU
// has time before Windows hears of that. All three are queued again, and behind them nothing is.
#define WDDM_PREEMPTS_A_FULL_QUEUE(context, node) \
  "- create_context: {context: " #context         \
  ", device: 40, "                                \
  "node: " #node                                  \
  "}\n"                                           \
  "- render: {context: " #context                 \
  "}\n"                                           \
  "- idle\n"                                      \
  "- queue_depth: {packets: 3}\n"                 \
  "- render: {context: " #context                 \
  "}\n"                                           \
  "- spin: {units: 1000}\n"                       \
  "- render: {context: " #context                 \
  "}\n"                                           \
  "- spin: {units: 1}\n"                          \
  "- render: {context: " #context                 \
  "}\n"                                           \
  "- spin: {units: 1}\n"                          \
  "- advance: {units: 10}\n"                      \
  "- advance: {units: 10}\n"                      \
  "- advance: {units: 10}\n"                      \
  "- advance: {units: 100}\n"                     \
  "- advance: {units: 100}\n"                     \
  "- hold_dpcs\n"                                 \
  "- preempt: {node: " #node                      \
  "}\n"                                           \
  "- advance: {units: 500}\n"                     \
  "- hold_dpcs: {on: false}\n"                    \
  "- idle\n"                                      \
  "- preempt: {node: " #node                      \
  "}\n"                                           \
  "- idle\n"                                      \
  "- queue_depth: {packets: 1}\n"

// A packet has ended, and nobody was told until the driver is asked.
#define WDDM_ASKS_FOR_A_FENCE        \
  "- render: {context: 40}\n"        \
  "- spin: {units: 20}\n"            \
  "- advance: {units: 4}\n"          \
  "- advance: {units: 4}\n"          \
  "- advance: {units: 4}\n"          \
  "- hold_interrupts\n"              \
  "- advance: {units: 80}\n"         \
  "- query_fence: {node: 0}\n"       \
  "- hold_interrupts: {on: false}\n" \
  "- idle\n"

// Paging of many pages is stopped and goes on, on whichever node it runs; contents leave memory and
// the aperture, and come back.
#define WDDM_PAGES_EVERY_WAY                                                       \
  "- create_allocation: {allocation: 40, pages: 32, place: local, device: 40}\n"   \
  "- create_allocation: {allocation: 41, pages: 4, place: aperture, device: 40}\n" \
  "- make_resident: {allocation: 40}\n"                                            \
  "- advance: {units: 3}\n"                                                        \
  "- preempt: {node: 0}\n"                                                         \
  "- preempt: {node: 1}\n"                                                         \
  "- advance: {units: 4}\n"                                                        \
  "- preempt: {node: 0}\n"                                                         \
  "- preempt: {node: 1}\n"                                                         \
  "- idle\n"                                                                       \
  "- make_resident: {allocation: 41}\n"                                            \
  "- fill_memory: {allocation: 40, pattern: 0x0badcafe}\n"                         \
  "- render: {context: 40}\n"                                                      \
  "- bind: {slot: 0, allocation: 40}\n"                                            \
  "- bind: {slot: 1, allocation: 41}\n"                                            \
  "- copy: {slot: 1, source: 0, size: 8192}\n"                                     \
  "- add: {slot: 0, offset: 0, value: 1}\n"                                        \
  "- idle\n"                                                                       \
  "- evict: {allocation: 40}\n"                                                    \
  "- evict: {allocation: 41}\n"                                                    \
  "- render: {context: 40}\n"                                                      \
  "- bind: {slot: 0, allocation: 40}\n"                                            \
  "- bind: {slot: 1, allocation: 41}\n"                                            \
  "- copy: {slot: 0, source: 1, offset: 8192, source_offset: 0, size: 8192}\n"     \
  "- idle\n"

/// Uses device 40 and contexts and allocations from 40 on, and leaves none. What node 1 is to do is
/// skipped on a driver with one node, and each further node is preempted in the middle of one
/// packet.
#define WDDM_DOES_EVERY_KIND_OF_WORK                                               \
  "- create_device: {device: 40}\n" WDDM_PREEMPTS_A_FULL_QUEUE(40, 0)              \
      WDDM_PREEMPTS_A_FULL_QUEUE(41, 1) WDDM_ASKS_FOR_A_FENCE WDDM_PAGES_EVERY_WAY \
      "- each_node: {preempt: true, units: 100}\n"                                 \
      "- destroy_device: {device: 40}\n"
