// hello: a node offers a service under a key; another finds it there, without knowing names, paths or addresses.
//
//   example-hello offer --name anna                           prints where it listens, and serves until Ctrl-D
//   example-hello ask --name bert --seed "tcp -h 127.0.0.1 -p PORT"
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "examples/program.hpp"
#include "examples/services.hpp"

namespace example {
namespace {

using namespace std::chrono_literals;
namespace receptionist = muster::receptionist;

// The service.
class greeter : public muster::actor<hello> {
 public:
  explicit greeter(std::string name) : name_{std::move(name)} {}

  void receive(context&, hello message) override {
    say("{} says hello", message.from);
    message.reply_to.tell({fmt::format("Hello {}, I am {}", message.from, name_)});
  }

 private:
  std::string name_;
};

void offer(muster::actor_system& system, const receptionist::handle& desk, const std::string& name) {
  const auto service = system.spawn<greeter>("greeter", name);
  // For as long as it lives: a stopped actor is not to be found.
  desk.tell(receptionist::register_{hello_key, service}.while_alive());
  wait_for_end_of_input();
}

// A consumer: it is told who is there, now and at each change, and asks the first one.
class consumer : public muster::actor<std::variant<muster::listing<hello>, greeting>> {
 public:
  consumer(receptionist::handle desk, std::string name, std::shared_ptr<std::promise<void>> answered)
      : desk_{std::move(desk)}, name_{std::move(name)}, answered_{std::move(answered)} {}

  void on_start(context& self) override { desk_.tell(receptionist::subscribe{hello_key, self.self()}); }

  void receive(context& self, message_type message) override {
    if (const auto* listing = std::get_if<muster::listing<hello>>(&message)) {
      say("a listing: {} greeters", listing->refs.size());
      // At first nobody may be there. Never ask an empty listing for its first ref.
      if (listing->refs.empty() || has_asked_) return;
      has_asked_ = true;
      desk_.tell(receptionist::unsubscribe{hello_key, self.self()});
      listing->refs[0].tell({name_, self.self()});
    } else {
      say("an answer: {}", std::get<greeting>(message).text);
      answered_->set_value();
    }
  }

 private:
  receptionist::handle desk_;
  std::string name_;
  std::shared_ptr<std::promise<void>> answered_;
  bool has_asked_{false};
};

int ask(muster::actor_system& system, const receptionist::handle& desk, const std::string& name) {
  // A find is answered by what this node knows at that moment, which may be nothing yet: it has just begun to join.
  const auto found = system
                         .ask<muster::listing<hello>>(
                             desk.ref(),
                             [](auto reply_to) {
                               return receptionist::find{hello_key, reply_to};
                             },
                             1s)
                         .get();
  say("found at once: {} greeters", found ? found->refs.size() : 0);
  // To wait for somebody, subscribe.
  const auto answered = std::make_shared<std::promise<void>>();
  system.spawn<consumer>("consumer", desk, name, answered);
  if (answered->get_future().wait_for(60s) == std::future_status::ready) return 0;
  say("nobody has answered");
  return 1;
}

int run(const arguments& read) {
  const auto pool = muster::os::actor_pool::make({}).value();
  muster::actor_system system{"examples", {.runs_on = pool}};
  const auto cluster = muster::cluster::join(system, {.name = read.name, .listen = read.listen, .seeds = read.seeds});
  const auto desk = receptionist::start(system, cluster);
  say("{} listens: {}", read.name, cluster->address());

  if (read.words == std::vector<std::string>{"ask"}) return ask(system, desk, read.name);
  offer(system, desk, read.name);
  return 0;
}

}  // namespace
}  // namespace example

int main(int argc, char** argv) { return example::run(example::read_arguments(argc, argv, "example-hello offer|ask")); }
