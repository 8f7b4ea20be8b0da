# cmake --install, the CMake package and pkg-config file of the library, and cpack's Debian packages.
# Component "runtime" is the program with its manual, examples and unit; "dev" is the library.

include(CMakePackageConfigHelpers)

if(TARGET muster)
  install(TARGETS muster COMPONENT runtime)
endif()
install(FILES packaging/muster.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
install(FILES packaging/examples/master.conf packaging/examples/slave.conf
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT runtime)
# The licence, and what linking Ice means: both packages carry it.
file(READ LICENSE MUSTER_LICENSE)
configure_file(packaging/copyright.in packaging/copyright @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES ${PROJECT_BINARY_DIR}/packaging/copyright
        DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libmuster-dev COMPONENT dev)
install(FILES packaging/icegridregistry.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES packaging/muster-registry@.service
        DESTINATION lib/systemd/system COMPONENT runtime)

# The library: one archive a folder, named as in the build: muster::registry and so on.
get_property(libraries GLOBAL PROPERTY MUSTER_LIBRARIES)
install(TARGETS ${libraries} muster_ice_runtime muster_spdlog muster_systemd EXPORT muster-targets
        ARCHIVE COMPONENT dev)
install(EXPORT muster-targets NAMESPACE muster:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/muster COMPONENT dev)
install(DIRECTORY muster/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/muster COMPONENT dev
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.test.hpp" EXCLUDE PATTERN "test_*.hpp" EXCLUDE)
# For users' tests of their actors.
install(FILES muster/actor/test_system.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/muster/actor COMPONENT dev)
install(DIRECTORY ${PROJECT_BINARY_DIR}/slice/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/muster/slice COMPONENT dev
        FILES_MATCHING PATTERN "*.h" PATTERN ice EXCLUDE PATTERN CMakeFiles EXCLUDE)
install(DIRECTORY slice/Muster DESTINATION ${CMAKE_INSTALL_DATADIR}/muster/slice COMPONENT dev
        FILES_MATCHING PATTERN "*.ice")

configure_package_config_file(packaging/musterConfig.cmake.in packaging/musterConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
write_basic_package_version_file(packaging/musterConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/packaging/musterConfig.cmake ${PROJECT_BINARY_DIR}/packaging/musterConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/muster COMPONENT dev)

# Archives in the order that a linker wants: each before those that it uses.
set(MUSTER_PC_LIBS)
foreach(library IN LISTS libraries)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    string(PREPEND MUSTER_PC_LIBS "-l${library} ")
  endif()
endforeach()
set(MUSTER_PC_SYSTEMD)
if(SYSTEMD_FOUND)
  set(MUSTER_PC_SYSTEMD "-lsystemd ")
endif()
# Relative to the file itself, so that "cmake --install --prefix" and cpack need no other one.
file(RELATIVE_PATH MUSTER_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" MUSTER_PC_TO_PREFIX ${MUSTER_PC_TO_PREFIX})
configure_file(packaging/muster.pc.in packaging/muster.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/packaging/muster.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

set(CPACK_GENERATOR DEB)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/packaging/cpack.cmake)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The Muster authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME muster)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS zeroc-ice-utils)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libmuster-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# What musterConfig.cmake and muster.pc look for, and the headers that ours include.
set(dev_depends
    pkg-config libzeroc-ice-dev libfmt-dev libspdlog-dev liblmdb-dev libexpected-dev libexpat1-dev libcrypt-dev libssl-dev
    "prometheus-cpp-dev | libprometheus-cpp-dev" libsystemd-dev
    "libboost1.81-dev | libboost1.83-dev" "libboost-json1.81-dev | libboost-json1.83-dev")
list(JOIN dev_depends ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "A registry for Ice: a master and replicas that answer locate requests of unmodified Ice 3.7 clients.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Static libraries, headers and Slice of Muster.")
include(CPack)
