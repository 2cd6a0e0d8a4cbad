# wddm_add_driver: a Windows display miniport driver, unmodified, as a Linux shared library.
#
#   include(<wddmcheck>/conformance/sdk/wddm_add_driver.cmake)
#   wddm_add_driver(mydriver SOURCES a.cpp b.c [INCLUDES dir...] [DEFINITIONS NAME=value...]
#                   [TMH] [MSVC] [FUZZ] [SANITIZE address undefined ...] [WARNINGS -Wall ...])
#
# Makes <binary dir>/mydriver.so, which exports DriverEntry and leaves every kernel service to the
# host. Works from any project; nothing else of wddmcheck is needed to compile a driver.
#   TMH       makes <Source>.tmh for each source from the WPP configuration comments of the sources
#   MSVC      predefines what the Microsoft compiler does: _MSC_VER, _WIN32, _WIN64, _M_AMD64, _M_X64,
#             AMD64, _AMD64_; DEFINITIONS _MSC_VER=... for another version
#   FUZZ      instruments for libFuzzer (clang; afl-clang-fast needs no option); `run` then tells
#             what of the driver it reached
#   SANITIZE  instruments with these sanitizers; WDDM_SANITIZE does it for all drivers
#   WARNINGS  options that ask for warnings, about the driver and not its headers; none without
# DBG is 1 unless DEFINITIONS say otherwise; of a name that the driver's own files define anew CMake warns
# (driver_definitions.cmake). Includes are found without regard to case and with
# backslashes (driver_includes.cmake); run CMake again when such a one is new. Imports the host lacks
# and variables of type `long` (8 bytes here, 4 on Windows) are listed by `wddmcheck info mydriver.so`.

include(${CMAKE_CURRENT_LIST_DIR}/driver_definitions.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/driver_includes.cmake)

set(WDDM_DRIVER_ROOT ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "Where wddm_add_driver.cmake lies")

# What a driver needs to mean the same as under the Microsoft compiler.
set(WDDM_DRIVER_FLAGS
  -fms-extensions -fshort-wchar -mms-bitfields -nostdinc -ffreestanding -fPIC
  -fno-strict-aliasing -fwrapv -fno-omit-frame-pointer -fno-delete-null-pointer-checks
  CACHE INTERNAL "")
set(WDDM_DRIVER_CXX_FLAGS
  -fno-exceptions -fno-rtti -fno-sanitize=vptr -fno-threadsafe-statics -fno-sized-deallocation
  CACHE INTERNAL "")
# What it predefines for x64. Not for all drivers: portable code asks for it to choose its compiler.
set(WDDM_DRIVER_MSVC_DEFINITIONS
  _WIN32=1 _WIN64=1 _M_AMD64=100 _M_X64=100 AMD64=1 _AMD64_=1 _MSC_FULL_VER=192930133 _MSC_VER=1929
  CACHE INTERNAL "")
# Idioms of the Microsoft compiler that are no mistakes there.
set(WDDM_DRIVER_QUIET_CLANG
  -Wno-ignored-attributes -Wno-unused-value -Wno-microsoft -Wno-multichar -Wno-four-char-constants
  -Wno-unknown-pragmas -Wno-ignored-pragmas -Wno-invalid-noreturn -Wno-comment -Wno-switch
  # pshpack4.h and its like: what they change is changed back by another header.
  -Wno-pragma-pack
  CACHE INTERNAL "")

# The headers in INCLUDES, in that order, and beside the sources. Reads the caller's arguments.
function(_wddm_headers_of_driver result sources)
  set(folders "")
  foreach(include IN LISTS arg_INCLUDES)
    get_filename_component(folder ${include} ABSOLUTE)
    list(APPEND folders ${folder})
  endforeach()
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(headers "")
  foreach(folder IN LISTS folders)
    file(GLOB found ${folder}/*.h)
    list(APPEND headers ${found})
  endforeach()
  set(${result} ${headers} PARENT_SCOPE)
endfunction()

# Makes <Source>.tmh for the sources of `name` in `tmh_dir`. The configuration comments stand in some
# source or header of the driver; which, is looked up when CMake runs. Reads the caller's arguments.
function(_wddm_generate_tmh name ddi)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${name}_tmh)
  set(sources "")
  set(outputs "")
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(stem ${source} NAME_WLE)
    list(APPEND sources ${path})
    list(APPEND outputs ${dir}/${stem}.tmh)
  endforeach()
  _wddm_headers_of_driver(candidates "${sources}")
  list(REMOVE_DUPLICATES outputs)
  set(configs "")
  foreach(header IN LISTS candidates)
    file(STRINGS ${header} has_config REGEX "begin_wpp[ \t]+config" LIMIT_COUNT 1)
    if(has_config)
      list(APPEND configs ${header})
    endif()
  endforeach()
  set(script ${ddi}/wpp/tmh_from_config.cmake)
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND ${CMAKE_COMMAND} "-DSOURCES=${sources}" "-DCONFIGS=${configs}" -DOUTPUT_DIR=${dir}
            -P ${script}
    DEPENDS ${sources} ${configs} ${script}
    COMMENT "Generating trace headers of ${name}"
    VERBATIM)
  target_sources(${name} PRIVATE ${outputs})
  set(tmh_dir ${dir} PARENT_SCOPE)
endfunction()

function(wddm_add_driver name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TMH;MSVC;FUZZ" ""
                        "SOURCES;INCLUDES;DEFINITIONS;SANITIZE;WARNINGS")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "wddm_add_driver(${name}): no SOURCES")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "wddm_add_driver(${name}): don't know ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(ddi ${WDDM_DRIVER_ROOT}/ddi)

  add_library(${name} MODULE ${arg_SOURCES})
  # Properties are set, not added to: options of the surrounding project are not the driver's.
  set(flags ${WDDM_DRIVER_FLAGS})
  list(APPEND flags
    $<$<COMPILE_LANGUAGE:CXX>:${WDDM_DRIVER_CXX_FLAGS}>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpermissive>
    # Structures end in arrays of one element of which more follow, CM_RESOURCE_LIST in two of
    # them: GCC takes the inner one for as long as it says, and ends loops over it behind the first.
    $<$<COMPILE_LANG_AND_ID:C,GNU>:-fno-aggressive-loop-optimizations>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-aggressive-loop-optimizations>
    # A class's operator new may give null, and no constructor runs then.
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fcheck-new>
    $<$<AND:$<COMPILE_LANG_AND_ID:CXX,Clang>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,15>>:-fcheck-new>
    # Names looked up as late, conversions as lax and specifiers as loose as the Microsoft compiler
    # has them; GCC knows -fms-extensions alone.
    $<$<COMPILE_LANG_AND_ID:C,Clang>:-fms-compatibility>
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fms-compatibility>
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:${WDDM_DRIVER_QUIET_CLANG};-Wno-register>
    $<$<COMPILE_LANG_AND_ID:C,Clang>:${WDDM_DRIVER_QUIET_CLANG}>
    # Crashes are known by the functions that called each other; clang leaves this out of C.
    -fasynchronous-unwind-tables
    -g)
  # GCC cannot be told of every idiom, so it is quiet unless asked.
  if(arg_WARNINGS)
    list(APPEND flags ${arg_WARNINGS} -Wno-multichar -Wno-unknown-pragmas)
    set(include_ddi -isystem)
  else()
    list(APPEND flags $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-w> $<$<COMPILE_LANG_AND_ID:C,GNU>:-w>)
    set(include_ddi -I)
  endif()

  set(sanitize ${arg_SANITIZE})
  if(WDDM_SANITIZE)
    list(APPEND sanitize address undefined)
  endif()
  if(sanitize)
    list(REMOVE_DUPLICATES sanitize)
    list(JOIN sanitize , list)
    list(APPEND flags -fsanitize=${list})
    if(undefined IN_LIST sanitize)
      # Unaligned stores, arithmetic on null and enumerations of any int are defined by the Microsoft
      # compiler, and used.
      list(APPEND flags -fno-sanitize=alignment,enum,null,pointer-overflow
                        -fno-sanitize-recover=undefined)
      list(APPEND flags $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr>)
    endif()
  endif()
  if(arg_FUZZ AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    list(APPEND flags -fsanitize=fuzzer-no-link)
  endif()

  set(includes ${arg_INCLUDES})
  if(arg_TMH)
    _wddm_generate_tmh(${name} ${ddi})
    list(PREPEND includes ${tmh_dir})
  endif()
  foreach(include IN LISTS includes)
    get_filename_component(path ${include} ABSOLUTE)
    list(APPEND flags -I${path})
  endforeach()
  set(paths "")
  foreach(item IN LISTS arg_SOURCES)
    if(NOT item MATCHES "^\\$<")
      get_filename_component(path ${item} ABSOLUTE)
      list(APPEND paths ${path})
    endif()
  endforeach()
  set(include_paths "")
  foreach(include IN LISTS includes)
    get_filename_component(path ${include} ABSOLUTE)
    list(APPEND include_paths ${path})
  endforeach()
  wddm_driver_includes(other_spellings ${name} "${paths}" "${include_paths}" ${ddi})
  if(other_spellings)
    list(APPEND flags -I${other_spellings})
  endif()
  list(APPEND flags ${include_ddi}${ddi} ${include_ddi}${ddi}/freestanding)

  set(definitions WDDM_DRIVER_BUILD=1)
  if(NOT "${arg_DEFINITIONS}" MATCHES "(^|;)(-D)?DBG(=|;|$)")
    list(APPEND definitions DBG=1)
  endif()
  if(arg_MSVC)
    foreach(definition IN LISTS WDDM_DRIVER_MSVC_DEFINITIONS)
      string(REGEX REPLACE "=.*" "" macro ${definition})
      if(NOT "${arg_DEFINITIONS}" MATCHES "(^|;)(-D)?${macro}(=|;|$)")
        list(APPEND definitions ${definition})
      endif()
    endforeach()
  endif()
  list(APPEND definitions ${arg_DEFINITIONS})
  _wddm_headers_of_driver(headers "${paths}")
  set(files ${paths} ${headers})
  wddm_warn_of_redefined(${name} "${arg_DEFINITIONS}" "${files}")

  # C of the Microsoft compiler: `__inline` makes a function that every file may hold a copy of.
  set(link_c "")
  if("${arg_SOURCES}" MATCHES "\\.[cC](;|$)")
    list(APPEND flags $<$<COMPILE_LANGUAGE:C>:-fgnu89-inline>)
    set(link_c ";-Wl,-z,muldefs")
  endif()

  set_target_properties(${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name}
    CXX_STANDARD 17 CXX_EXTENSIONS ON C_STANDARD 11 C_EXTENSIONS ON
    POSITION_INDEPENDENT_CODE ON
    INTERPROCEDURAL_OPTIMIZATION OFF
    COMPILE_OPTIONS "${flags}"
    COMPILE_DEFINITIONS "${definitions}"
    INCLUDE_DIRECTORIES ""
    LINK_LIBRARIES ""
    LINK_OPTIONS
      "-nostdlib;-Wl,-Bsymbolic;-Wl,--version-script=${WDDM_DRIVER_ROOT}/driver_exports.map${link_c}"
    LINK_DEPENDS ${WDDM_DRIVER_ROOT}/driver_exports.map)

  # Behind errors it says what they mean here.
  set_target_properties(${name} PROPERTIES
    RULE_LAUNCH_COMPILE "sh ${WDDM_DRIVER_ROOT}/compile_with_hints.sh")

  # setjmp-based exception frames need every local in memory.
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(path ${source} ABSOLUTE)
    if(EXISTS ${path})
      file(STRINGS ${path} may_give_null REGEX "::[ \t]*operator[ \t]+new" LIMIT_COUNT 1)
      if(may_give_null AND CMAKE_CXX_COMPILER_ID MATCHES Clang
         AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
        message(WARNING "wddm_add_driver(${name}): ${source} defines the operator new of a class, and "
                        "clang before 15 has no -fcheck-new: where it gives null, the constructor "
                        "runs all the same and crashes, which it does not on Windows. Declare it "
                        "noexcept, or build with GCC or a newer clang.")
      endif()
      file(STRINGS ${path} uses_seh REGEX "(^|[^a-zA-Z0-9_])__try([^a-zA-Z0-9_]|$)" LIMIT_COUNT 1)
      if(uses_seh)
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -O0)
      endif()
    endif()
  endforeach()
endfunction()
