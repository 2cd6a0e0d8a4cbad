// How scenarios of resets end: the same for an engine of the other GPU of a link. Where there is no
// link it is that of the only GPU once more.
#pragma once

// Its engine is reset in the middle of a packet, and has time then.
#define WDDM_RESETS_ENGINE_OF_OTHER_GPU         \
  "# Of a link the other GPU as well.\n"        \
  "- physical_adapter: {index: 1}\n"            \
  "- create_device: {device: 2, process: 2}\n"  \
  "- create_context: {context: 2, device: 2}\n" \
  "- render: {context: 2}\n"                    \
  "- idle\n"                                    \
  "- render: {context: 2}\n"                    \
  "- spin: {units: 1000}\n"                     \
  "- advance: {units: 100}\n"                   \
  "- advance: {units: 100}\n"                   \
  "- advance: {units: 100}\n"                   \
  "- advance: {units: 100}\n"                   \
  "- time_out: {node: 0}\n"                     \
  "- advance: {units: 1500}\n"                  \
  "- idle\n"

// The adapter is reset in the middle of a packet of that GPU, and works again.
#define WDDM_RESETS_ADAPTER_FOR_OTHER_GPU     \
  "# Of a link the other GPU as well.\n"      \
  "- physical_adapter: {index: 1}\n"          \
  "- create_context: {context: 2}\n"          \
  "- create_context: {context: 3, node: 1}\n" \
  "- render: {context: 2}\n"                  \
  "- render: {context: 3}\n"                  \
  "- idle\n"                                  \
  "- render: {context: 2}\n"                  \
  "- spin: {units: 1000}\n"                   \
  "- advance: {units: 100}\n"                 \
  "- advance: {units: 100}\n"                 \
  "- advance: {units: 100}\n"                 \
  "- advance: {units: 100}\n"                 \
  "- time_out: {node: 0, adapter: true}\n"    \
  "- query_fence: {node: 0}\n"                \
  "- preempt: {node: 0}\n"                    \
  "- preempt: {node: 1}\n"                    \
  "- idle\n"                                  \
  "- create_context: {context: 2}\n"          \
  "- render: {context: 2}\n"                  \
  "- idle\n"
