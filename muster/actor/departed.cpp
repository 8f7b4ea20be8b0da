#include "muster/actor/departed.hpp"

#include "muster/actor/system_core.hpp"

namespace muster::actor_kernel {

told departed_target::refuse(const message_type& type, if_not otherwise) {
  if (otherwise == if_not::dead_letter) core_->letters().publish(refs::any(this), type, dead_letter_reason::stopped);
  return told::stopped;
}

}  // namespace muster::actor_kernel
