# wddm_add_client: a client plug-in (client.h) that includes headers of its driver.
#
#   include(<wddmcheck>/conformance/sdk/wddm_add_client.cmake)
#   wddm_add_client(myclient SOURCES client.cpp [what wddm_add_driver takes])
#
# Makes <binary dir>/myclient.so, which exports WddmClientEntry. Structures mean the same only where
# both are compiled alike, so it has the flags of a driver: wchar_t of two bytes, bit fields as the
# Microsoft compiler lays them out, and the headers of ddi/ in place of the C library's. The plug-in's
# own header is "conformance/sdk/client.h". memcpy and its like are the host's; nothing else of the C or
# C++ library is there. A client that needs no header of its driver is any shared library.

include(${CMAKE_CURRENT_LIST_DIR}/wddm_add_driver.cmake)

function(wddm_add_client name)
  wddm_add_driver(${name} ${ARGN})
  get_filename_component(root ${WDDM_DRIVER_ROOT}/../.. ABSOLUTE)
  # Behind all folders of the driver.
  target_compile_options(${name} PRIVATE -idirafter${root})
  set(map ${WDDM_DRIVER_ROOT}/client_exports.map)
  get_target_property(options ${name} LINK_OPTIONS)
  list(TRANSFORM options REPLACE "--version-script=.*" "--version-script=${map}")
  set_target_properties(${name} PROPERTIES LINK_OPTIONS "${options}" LINK_DEPENDS ${map})
endfunction()
