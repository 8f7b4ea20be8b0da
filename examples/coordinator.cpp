// coordinator: of all nodes that could do it, one coordinates, and all find it under one key. When it is lost another
// takes over, and nobody who asks need know.
//
//   example-coordinator --name anna                           any number of them, until Ctrl-D; kill -9 the coordinator
//
// Every node offers itself as a candidate. Listings have the same order everywhere, so all agree on the first of the
// candidates; that one starts the coordinator and registers it. A node that has not met the others yet coordinates for
// itself, and during a partition each side has a coordinator, since each side sees other candidates: where that must
// not be, let something decide that can (a lease in a database), and register whoever holds it.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "examples/program.hpp"
#include "examples/services.hpp"

namespace example {
namespace {

using namespace std::chrono_literals;
namespace receptionist = muster::receptionist;

// Hands out numbers, each above all that the asking nodes have seen. What a coordinator knows dies with its node: its
// successor learns from those who ask, or from a store, never from a receptionist.
class coordinator : public muster::actor<ticket_request> {
 public:
  explicit coordinator(std::string name) : name_{std::move(name)} {}

  void receive(context&, ticket_request message) override {
    last_ = std::max(last_, message.above) + 1;
    message.reply_to.tell({last_, name_});
  }

 private:
  std::string name_;
  std::int64_t last_{0};
};

class candidate : public muster::actor<std::variant<candidacy, muster::listing<candidacy>>> {
 public:
  candidate(receptionist::handle desk, std::string name) : desk_{std::move(desk)}, name_{std::move(name)} {}

  void on_start(context& self) override {
    desk_.tell(receptionist::register_{candidate_key, self.self()}.while_alive());
    desk_.tell(receptionist::subscribe{candidate_key, self.self()});
  }

  void receive(context& self, message_type message) override {
    const auto* listing = std::get_if<muster::listing<candidacy>>(&message);
    if (listing == nullptr) return;
    const bool is_first = !listing->refs.empty() && listing->refs[0] == self.self();
    if (is_first && !leads_) {
      say("{} coordinates", name_);
      leads_ = self.spawn<coordinator>("", name_);
      desk_.tell(receptionist::register_{coordinator_key, *leads_}.while_alive());
    } else if (!is_first && leads_) {
      say("{} no longer coordinates", name_);
      self.stop(*leads_);  // which takes its registration back
      leads_.reset();
    }
  }

 private:
  receptionist::handle desk_;
  std::string name_;
  std::optional<muster::actor_ref<ticket_request>> leads_;
};

struct tick {};

// Asks whoever coordinates, ten times a second.
class client : public muster::actor<tick> {
 public:
  explicit client(receptionist::handle desk) : desk_{std::move(desk)} {}

  void on_start(context& self) override { self.every(100ms, tick{}); }

  void receive(context& self, tick) override {
    if (asks_) return;
    const auto found = desk_.lookup(coordinator_key);  // a read of what this node knows: no message, no waiting
    if (found.refs.empty()) return;
    asks_ = true;
    self.ask<ticket>(
        found.refs[0],
        [this](auto reply_to) {
          return ticket_request{last_, reply_to};
        },
        500ms,
        [this](const muster::result<ticket>& got) {
          asks_ = false;
          if (!got) return;  // the coordinator is lost, or slow: the next tick asks whoever it is then
          last_ = std::max(last_, got->number);
          say("ticket {} from {}", got->number, got->by);
        });
  }

 private:
  receptionist::handle desk_;
  bool asks_{false};
  std::int64_t last_{0};
};

void run(const arguments& read) {
  const auto pool = muster::os::actor_pool::make({}).value();
  muster::actor_system system{"examples", {.runs_on = pool}};
  const auto cluster = muster::cluster::join(system, {.name = read.name, .listen = read.listen, .seeds = read.seeds});
  const auto desk = receptionist::start(system, cluster);
  say("{} listens: {}", read.name, cluster->address());

  system.spawn<candidate>("candidate", desk, read.name);
  system.spawn<client>("client", desk);
  wait_for_end_of_input();
}

}  // namespace
}  // namespace example

int main(int argc, char** argv) { example::run(example::read_arguments(argc, argv, "example-coordinator")); }
