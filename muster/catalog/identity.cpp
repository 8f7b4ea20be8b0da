#include "muster/catalog/identity.hpp"

#include <Ice/Initialize.h>

namespace muster::catalog {

std::string to_text(identity_view id) { return Ice::identityToString(to_identity(id), Ice::ToStringMode::Unicode); }

}  // namespace muster::catalog
