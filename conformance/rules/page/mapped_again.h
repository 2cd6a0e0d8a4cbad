// How scenarios of aperture maps end: behind a reset of the adapter, which may lose the entries of
// the aperture, the same pages come to the same place.
#pragma once

// Allocation 0 is a new one, and its pages have something else in them.
#define WDDM_MAPS_AGAIN(first_page, count, offset_in_mdl)                                          \
  "# A reset of the adapter may lose the aperture's entries. Now the same pages come to the same " \
  "place.\n"                                                                                       \
  "- create_context: {context: 0, node: 0}\n"                                                      \
  "- render: {context: 0}\n"                                                                       \
  "- spin: {units: 300}\n"                                                                         \
  "- advance: {units: 20}\n"                                                                       \
  "- advance: {units: 20}\n"                                                                       \
  "- time_out: {node: 0, adapter: true}\n"                                                         \
  "- create_allocation: {allocation: 0, pages: 64, place: local}\n"                                \
  "- make_resident: {allocation: 0}\n"                                                             \
  "- fill_memory: {allocation: 0, pattern: 0x99aabbcc}\n"                                          \
  "- map_aperture: {page: " #first_page ", pages: " #count ", mdl_offset: " #offset_in_mdl         \
  "}\n"                                                                                            \
  "- transfer_places: {source: local, destination: aperture, source_page: 48, page: " #first_page  \
  ", pages: " #count                                                                               \
  "}\n"                                                                                            \
  "- idle\n"
