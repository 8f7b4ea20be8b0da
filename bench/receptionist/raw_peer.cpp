#include "bench/receptionist/raw_peer.hpp"
namespace muster::bench { int serve_as_raw_peer() { return 1; } }
