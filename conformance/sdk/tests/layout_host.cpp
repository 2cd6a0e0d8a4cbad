// The layout probes, compiled as host code is.
#define LAYOUT_FUNCTION wddm_layout_host
#include "layout_probes.inl"
