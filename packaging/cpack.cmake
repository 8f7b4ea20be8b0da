# Read by cpack before it makes packages. Without dpkg-shlibdeps it would make one that depends on nothing, and say nothing.
if(CPACK_GENERATOR STREQUAL "DEB")
  find_program(SHLIBDEPS_EXECUTABLE dpkg-shlibdeps)
  if(NOT SHLIBDEPS_EXECUTABLE)
    message(FATAL_ERROR "dpkg-shlibdeps, which finds what the package depends on, is missing: apt-get install dpkg-dev")
  endif()
endif()
