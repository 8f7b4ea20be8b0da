# muster_slice_compile(<target>): the installed Slice of IceGrid and Glacier2, and our own under slice/, as one
# static library in which *every* operation of every interface is dispatched asynchronously.
#
# The installed files mark few operations ["amd"]; a copy that says so before each interface is made at build
# time (tools/add-amd.awk), which changes the skeletons and not the wire. The stock skeleton libraries
# (IceGrid++11, Glacier2++11) define the same symbols with synchronous dispatch and must never be linked beside
# this one.
set(MUSTER_STOCK_SLICE
    Glacier2/PermissionsVerifier Glacier2/PermissionsVerifierF Glacier2/Router Glacier2/RouterF Glacier2/SSLInfo
    Glacier2/Session
    IceGrid/Admin IceGrid/Descriptor IceGrid/Exception IceGrid/FileParser IceGrid/PluginFacade IceGrid/Registry
    IceGrid/Session IceGrid/UserAccountMapper)

function(muster_slice_compile target)
  set(out ${PROJECT_BINARY_DIR}/slice)
  set(copies ${out}/ice)
  set(tool ${PROJECT_SOURCE_DIR}/tools/add-amd.awk)
  set(check ${PROJECT_SOURCE_DIR}/tools/check-amd.awk)
  find_program(AWK_PROGRAM awk REQUIRED)

  file(GLOB_RECURSE own RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.ice)
  set(names ${MUSTER_STOCK_SLICE})
  set(all_copies)
  foreach(file IN LISTS own)
    string(REGEX REPLACE "\\.ice$" "" name ${file})
    list(APPEND names ${name})
  endforeach()
  foreach(name IN LISTS names)
    set(from ${ICE_SLICE_DIR}/${name}.ice)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.ice)
      set(from ${CMAKE_CURRENT_SOURCE_DIR}/${name}.ice)
    endif()
    get_filename_component(folder ${name} DIRECTORY)
    file(MAKE_DIRECTORY ${copies}/${folder} ${out}/${folder})
    add_custom_command(
        OUTPUT ${copies}/${name}.ice
        COMMAND ${AWK_PROGRAM} -f ${tool} ${from} > ${copies}/${name}.ice
        DEPENDS ${from} ${tool}
        COMMENT "Slice ${name}.ice: every operation asynchronous"
        VERBATIM)
    list(APPEND all_copies ${copies}/${name}.ice)
  endforeach()

  set(sources)
  foreach(name IN LISTS names)
    get_filename_component(folder ${name} DIRECTORY)
    add_custom_command(
        OUTPUT ${out}/${name}.cpp ${out}/${name}.h
        COMMAND ${SLICE2CPP_PROGRAM} -I${copies} -I${ICE_SLICE_DIR} --include-dir ${folder}
                --output-dir ${out}/${folder} ${copies}/${name}.ice
        COMMAND ${AWK_PROGRAM} -f ${check} ${out}/${name}.h
        DEPENDS ${all_copies} ${check}
        COMMENT "slice2cpp ${name}.ice"
        VERBATIM)
    list(APPEND sources ${out}/${name}.cpp)
  endforeach()

  add_library(${target} STATIC ${sources})
  # Before /usr/include, where the stock headers of the same names lie; SYSTEM, since the code is generated.
  target_include_directories(${target} SYSTEM BEFORE PUBLIC
      $<BUILD_INTERFACE:${out}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/muster/slice>)
  target_link_libraries(${target} PUBLIC muster_ice_runtime)
  target_compile_options(${target} PRIVATE -w)
  target_compile_features(${target} PUBLIC cxx_std_20)
  muster_compile_together(${target})
  if(MUSTER_PCH)
    target_precompile_headers(${target} PRIVATE <Ice/Ice.h>)
  endif()
endfunction()
