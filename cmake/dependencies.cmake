# Everything comes from Debian's packages (tools/packages.txt). Ice and LMDB bring no CMake package there.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL REQUIRED)
find_package(EXPAT REQUIRED)
pkg_check_modules(LMDB REQUIRED IMPORTED_TARGET lmdb)
pkg_check_modules(PROMETHEUS REQUIRED IMPORTED_TARGET prometheus-cpp-core)
pkg_check_modules(CRYPT REQUIRED IMPORTED_TARGET libcrypt)
pkg_check_modules(SYSTEMD IMPORTED_TARGET libsystemd)

find_path(TL_EXPECTED_INCLUDE_DIR tl/expected.hpp REQUIRED)
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)

# Ice 3.7 in the C++11 mapping.
find_path(ICE_INCLUDE_DIR Ice/Ice.h REQUIRED)
find_library(ICE_LIBRARY Ice++11 REQUIRED)
find_library(ICESSL_LIBRARY IceSSL++11 REQUIRED)
find_program(SLICE2CPP_PROGRAM slice2cpp REQUIRED)
find_path(ICE_SLICE_DIR Ice/Identity.ice PATH_SUFFIXES share/ice/slice share/slice REQUIRED
          HINTS ${ICE_INCLUDE_DIR}/.. NO_CMAKE_FIND_ROOT_PATH)

add_library(muster_ice_runtime INTERFACE)
target_compile_definitions(muster_ice_runtime INTERFACE ICE_CPP11_MAPPING)
target_link_libraries(muster_ice_runtime INTERFACE ${ICE_LIBRARY} ${ICESSL_LIBRARY} Threads::Threads)

# The interface libraries get a short name each, so that a folder's CMakeLists.txt reads as its arrows do.
add_library(muster_systemd INTERFACE)
if(SYSTEMD_FOUND)
  target_compile_definitions(muster_systemd INTERFACE MUSTER_HAVE_SYSTEMD=1)
  target_link_libraries(muster_systemd INTERFACE PkgConfig::SYSTEMD)
endif()
add_library(muster_spdlog INTERFACE)
target_link_libraries(muster_spdlog INTERFACE spdlog::spdlog)
target_compile_definitions(muster_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
