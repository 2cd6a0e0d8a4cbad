// The result of one layout probe, as every build of the probes reports it.
//
// Plain C, because drivers are built as C too.
#ifndef WDDM_DDI_LAYOUT_PROBE_H
#define WDDM_DDI_LAYOUT_PROBE_H

/// One row of layout.tsv as a compiler sees it.
struct LayoutProbe {
  const char* type;
  const char* kind;    ///< "size", "offset", "bits" or "enum", as in the table.
  const char* member;  ///< "-" for the type itself.
  long long value;     ///< Bytes, value of the enumerator, or first bit.
  long long width;     ///< Bits only, else 0.
};

#ifdef __cplusplus
extern "C" {
#endif
/// Fills `probes`, which has room for `capacity`, and returns how many rows there are. One function
/// per way in which the headers are compiled.
unsigned wddm_layout_host(struct LayoutProbe* probes, unsigned capacity);
unsigned wddm_layout_driver_c(struct LayoutProbe* probes, unsigned capacity);
unsigned wddm_layout_driver_cxx(struct LayoutProbe* probes, unsigned capacity);
#ifdef __cplusplus
}
#endif

#endif
