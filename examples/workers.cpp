// workers: any number of nodes offer workers under one key; a boss hands out jobs to all of them, and those of a worker
// that is lost again to others.
//
//   example-workers work --name anna                          as many of these as you like, until Ctrl-D
//   example-workers boss WORKERS JOBS --name bert --seed ...  waits for so many workers, has so many jobs done, ends
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "examples/program.hpp"
#include "examples/services.hpp"

namespace example {
namespace {

using namespace std::chrono_literals;
namespace receptionist = muster::receptionist;

void work(muster::actor_system& system, const receptionist::handle& desk, const std::string& name) {
  const auto worker = system.spawn<job>("worker", [name](const job& todo) {
    todo.reply_to.tell({todo.number * todo.number, name});
  });
  desk.tell(receptionist::register_{worker_key, worker}.while_alive());
  wait_for_end_of_input();
}

// `registered` says that a registration is on its way. That it has arrived here is known when it is in a listing.
void wait_for_workers(muster::actor_system& system, const receptionist::handle& desk, std::size_t wanted) {
  std::promise<void> enough;
  const auto waiting =
      system.spawn<muster::listing<job>>("waiting", [&enough, wanted](auto& self, const muster::listing<job>& listing) {
        say("{} of {} workers are there", listing.refs.size(), wanted);
        if (listing.refs.size() < wanted) return;
        self.stop();  // which unsubscribes it
        enough.set_value();
      });
  desk.tell(receptionist::subscribe{worker_key, waiting});
  enough.get_future().wait();
}

struct assignment {
  std::int64_t number{0};
};

class boss : public muster::actor<assignment> {
 public:
  boss(receptionist::handle desk, std::size_t jobs, std::shared_ptr<std::promise<void>> done)
      : workers_{std::move(desk), worker_key}, jobs_{jobs}, left_{jobs}, done_{std::move(done)} {}

  void on_start(context& self) override {
    for (std::size_t i = 0; i < at_once_max; ++i) begin_next(self.self());
  }
  void receive(context& self, assignment todo) override {
    // The router follows the listing, so it never gives a worker whose node cannot be reached.
    const auto worker = workers_.pick(job{});
    if (!worker) {
      self.after(100ms, todo);  // nobody is there now
      return;
    }
    // A job may be done twice: its worker may be lost between doing it and saying so. These do no harm.
    self.ask<square>(
        worker,
        [&](auto reply_to) {
          return job{todo.number, reply_to};
        },
        1s,
        [this, todo, me = self.self()](const muster::result<square>& got) {
          if (got) return finish(todo, *got, me);
          say("job {} again: {}", todo.number, got.error().message);
          me.tell(todo);
        });
  }

 private:
  // Were all jobs given away at once, those that wait would be late, and done again, and make others late.
  static constexpr std::size_t at_once_max = 64;

  void begin_next(const muster::actor_ref<assignment>& me) {
    if (begun_ < jobs_) me.tell({static_cast<std::int64_t>(++begun_)});
  }
  void finish(assignment what, const square& got, const muster::actor_ref<assignment>& me) {
    say("job {}: {} by {}", what.number, got.value, got.by);
    helped_.insert(got.by);
    if (--left_ > 0) return begin_next(me);
    say("all jobs are done, by {} workers", helped_.size());
    done_->set_value();
  }

  muster::group_router<job> workers_;  // one after the other
  std::size_t jobs_;
  std::size_t begun_{0};
  std::size_t left_;
  std::set<std::string> helped_;
  std::shared_ptr<std::promise<void>> done_;
};

int run(const arguments& read) {
  const auto pool = muster::os::actor_pool::make({}).value();
  muster::actor_system system{"examples", {.runs_on = pool}};
  const auto cluster = muster::cluster::join(system, {.name = read.name, .listen = read.listen, .seeds = read.seeds});
  const auto desk = receptionist::start(system, cluster);
  say("{} listens: {}", read.name, cluster->address());

  if (read.words.size() != 3) {
    work(system, desk, read.name);
    return 0;
  }
  const auto jobs = std::stoull(read.words[2]);
  wait_for_workers(system, desk, std::stoull(read.words[1]));
  const auto done = std::make_shared<std::promise<void>>();
  system.spawn<boss>("boss", desk, jobs, done);
  done->get_future().wait();
  return 0;
}

}  // namespace
}  // namespace example

int main(int argc, char** argv) {
  return example::run(example::read_arguments(argc, argv, "example-workers work|boss WORKERS JOBS"));
}
