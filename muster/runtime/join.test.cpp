#include "muster/runtime/join.hpp"

#include <atomic>
#include <fstream>
#include <mutex>
#include <set>

#include "muster/runtime/programs.test.hpp"
#include "tests/support/certificate_authority.hpp"
#include "tests/support/scratch_directory.hpp"

namespace muster::cluster::testing {
namespace {

struct order {
  static constexpr std::string_view message_name = "test.order";
  std::string what;
  actor_ref<std::string> answer_to;
};

const service_key<order> order_key{"orders"};

/// Keeps texts; any thread may look.
class notebook {
 public:
  void write(std::string text) {
    const std::lock_guard lock{mutex_};
    texts_.push_back(std::move(text));
  }
  [[nodiscard]] std::vector<std::string> texts() const {
    const std::lock_guard lock{mutex_};
    return texts_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
};

actor_ref<std::string> spawn_notebook(actor_system& system, notebook& into) {
  return system.spawn<std::string>("", [&into](std::string text) { into.write(std::move(text)); });
}

actor_ref<order> spawn_kitchen(actor_system& system, const std::string& name) {
  return system.spawn<order>(name, [name](const order& one) { one.answer_to.tell(one.what + " from " + name); });
}

/// Tells the notebook of the end of what it watches.
class mourner : public actor<std::variant<actor_ref<order>, terminated>> {
 public:
  explicit mourner(notebook* into) : into_{into} {}
  void receive(context& self, std::variant<actor_ref<order>, terminated> message) override {
    if (const auto* whom = std::get_if<actor_ref<order>>(&message)) {
      self.watch(*whom);
      into_->write("watching");
    } else {
      into_->write(std::get<terminated>(message).ref.path());
    }
  }

 private:
  notebook* const into_;
};

TEST(join, two_programs_become_one_cluster_whose_actors_find_and_tell_each_other) {
  program a{"a"};
  program b{"b", {.seeds = {a.node->address()}}};
  ASSERT_TRUE(are_one_cluster(a, b));

  const auto kitchen = spawn_kitchen(*a.system, "kitchen");
  a.desk->tell(receptionist::register_{order_key, kitchen});
  ASSERT_TRUE(eventually([&] { return b.desk->lookup(order_key).refs.size() == 1; }));
  const auto far = b.desk->lookup(order_key).refs[0];
  EXPECT_TRUE(far.is_remote());

  notebook answers;
  const auto me = spawn_notebook(*b.system, answers);
  constexpr std::size_t orders = 200;
  for (std::size_t i = 0; i < orders; ++i) far.tell({std::to_string(i), me});
  ASSERT_TRUE(eventually([&] { return answers.texts().size() == orders; }));
  for (std::size_t i = 0; i < orders; ++i) EXPECT_EQ(answers.texts()[i], fmt::format("{} from kitchen", i));

  a.desk->tell(receptionist::deregister{order_key, kitchen});
  EXPECT_TRUE(eventually([&] { return b.desk->lookup(order_key).refs.empty(); }));
}

TEST(join, three_programs_that_start_at_once_with_the_same_seeds_become_one_cluster) {
  std::vector<std::string> seeds;
  for (int i = 0; i < 3; ++i) seeds.push_back(fmt::format("tcp -h 127.0.0.1 -p {}", free_port()));
  const auto start = [&](const std::string& name, std::size_t place) {
    return std::make_unique<program>(name, join_options{.listen = seeds[place], .seeds = seeds});
  };
  const auto a = start("a", 0);
  const auto b = start("b", 1);
  const auto c = start("c", 2);
  EXPECT_TRUE(are_one_cluster(*a, *b, *c));
}

TEST(join, a_seed_may_be_a_host_name_with_this_node_at_one_of_its_addresses) {
  const std::string seed = fmt::format("tcp -h localhost -p {}", free_port());
  const std::string listen = "tcp -h 127.0.0.1" + seed.substr(seed.find(" -p"));
  const program a{"a", {.listen = listen, .seeds = {seed}}};
  const program b{"b", {.seeds = {seed}}};
  EXPECT_TRUE(are_one_cluster(a, b));
}

TEST(join, a_seed_that_is_not_there_yet_is_tried_again) {
  const std::string late = fmt::format("tcp -h 127.0.0.1 -p {}", free_port());
  const program b{"b", {.seeds = {late, "tcp -h nowhere.invalid -p 4070"}}};
  EXPECT_TRUE(b.log.wait_for("seed_not_found", "nowhere.invalid"));
  EXPECT_TRUE(b.log.wait_for("node_not_reached", late));
  EXPECT_EQ(b.node->members()->phase, phase::joining);
  const program a{"a", {.listen = late}};
  EXPECT_TRUE(are_one_cluster(a, b));
}

TEST(join, reads_seeds_from_a_file_and_from_properties) {
  const program a{"a"};
  const tests::scratch_directory scratch;
  const auto file = scratch.path() / "seeds";
  std::ofstream{file} << "# our seeds\n\n  " << a.node->address() << "   # the first\n";
  const program b{"b", {.seeds_file = file.string()}};
  ASSERT_TRUE(are_one_cluster(a, b));
  const program c{"c", {.properties = {{"cluster.seeds", "tcp -h 127.0.0.1 -p 1, " + b.node->address()}}}};
  EXPECT_TRUE(are_one_cluster(a, b, c));
}

TEST(join, the_end_of_an_actor_elsewhere_is_told_once_and_so_is_the_end_of_its_node) {
  program a{"a"};
  auto b = std::make_unique<program>("b", join_options{.seeds = {a.node->address()}});
  ASSERT_TRUE(are_one_cluster(a, *b));
  const auto first = spawn_kitchen(*b->system, "first");
  const auto second = spawn_kitchen(*b->system, "second");
  b->desk->tell(receptionist::register_{order_key, first});
  b->desk->tell(receptionist::register_{order_key, second});
  ASSERT_TRUE(eventually([&] { return a.desk->lookup(order_key).refs.size() == 2; }));

  notebook ends;
  const auto watcher = a.system->spawn<mourner>("", &ends);
  for (const auto& one : a.desk->lookup(order_key).refs) watcher.tell(one);
  ASSERT_TRUE(eventually([&] { return ends.texts().size() == 2; }));
  b->system->stop(first);
  ASSERT_TRUE(eventually([&] { return ends.texts().size() == 3; }));
  EXPECT_EQ(ends.texts().back(), "/user/first");
  b.reset();
  ASSERT_TRUE(eventually([&] { return ends.texts().size() == 4; }));
  EXPECT_EQ(ends.texts().back(), "/user/second");
  EXPECT_TRUE(eventually([&] { return a.desk->lookup(order_key).all_refs.empty(); }));
}

TEST(join, a_node_that_leaves_is_gone_at_once) {
  const program a{"a"};
  program b{"b", {.seeds = {a.node->address()}}};
  const program c{"c", {.seeds = {a.node->address()}}};
  ASSERT_TRUE(are_one_cluster(a, b, c));
  std::atomic<bool> has_left{false};
  b.node->leave([&] { has_left = true; });
  EXPECT_TRUE(eventually([&] { return has_left.load(); }, 5s));
  EXPECT_TRUE(eventually([&] { return a.members() == 2 && c.members() == 2; }, 5s));
  EXPECT_EQ(b.node->members()->phase, phase::ended);
}

TEST(join, a_program_that_ends_is_gone_at_once) {
  const program a{"a"};
  auto b = std::make_unique<program>("b", join_options{.seeds = {a.node->address()}});
  ASSERT_TRUE(are_one_cluster(a, *b));
  b.reset();
  EXPECT_TRUE(eventually([&] { return a.members() == 1; }, 5s));
}

TEST(join, a_program_that_ends_while_an_actor_is_busy_is_gone_all_the_same) {
  const program a{"a"};
  auto b = std::make_unique<program>("b", join_options{.seeds = {a.node->address()}});
  ASSERT_TRUE(are_one_cluster(a, *b));
  std::promise<void> busy;
  std::promise<void> release;
  b->system
      ->spawn<int>("busy",
                   [&](int) {
                     busy.set_value();
                     release.get_future().wait();
                   })
      .tell(1);
  busy.get_future().wait();
  const auto ended = b->system->shutdown(2s);
  EXPECT_TRUE(eventually([&] { return a.members() == 1; }, 5s));
  release.set_value();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "of the actors of 'shop' 1 did not stop within 2000 ms: /user/busy");
}

TEST(join, a_successor_at_the_same_address_takes_its_place_at_once) {
  const program a{"a"};
  const std::string address = fmt::format("tcp -h 127.0.0.1 -p {}", free_port());
  auto b = std::make_unique<program>("b", join_options{.listen = address, .seeds = {a.node->address()}});
  ASSERT_TRUE(are_one_cluster(a, *b));
  const auto before = b->node->self();
  b.reset();
  b = std::make_unique<program>("b", join_options{.listen = address, .seeds = {a.node->address()}});
  ASSERT_TRUE(are_one_cluster(a, *b));
  EXPECT_GT(b->node->self().incarnation, before.incarnation);
  EXPECT_TRUE(eventually([&] { return a.node->members()->find(b->node->self()) != nullptr; }));
}

TEST(join, speaks_over_tls_with_the_names_in_the_certificates) {
  tests::certificate_authority ours{"ours"};
  const auto with = [&](const std::string& name, std::vector<std::string> seeds = {}) {
    return join_options{
        .listen = "ssl -h 127.0.0.1", .seeds = std::move(seeds), .properties = ours.issue("/O=Test/CN=" + name)};
  };
  program a{"a", with("a")};
  program b{"b", with("b", {a.node->address()})};
  ASSERT_TRUE(are_one_cluster(a, b));
  const auto kitchen = spawn_kitchen(*a.system, "kitchen");
  a.desk->tell(receptionist::register_{order_key, kitchen});
  ASSERT_TRUE(eventually([&] { return b.desk->lookup(order_key).refs.size() == 1; }));
  notebook answers;
  b.desk->lookup(order_key).refs[0].tell({"soup", spawn_notebook(*b.system, answers)});
  EXPECT_TRUE(eventually([&] { return !answers.texts().empty(); }));

  // One that calls itself by another name than its certificate does.
  const program intruder{"c", with("b", {a.node->address()})};
  EXPECT_TRUE(a.log.wait_for("impersonated", "it spoke as 'c'"));
  EXPECT_EQ(a.members(), 2U);
}

TEST(join, a_node_of_another_cluster_is_told_so) {
  const program a{"a"};
  const program b{"b", {.cluster = "stall", .seeds = {a.node->address()}}};
  EXPECT_TRUE(b.log.wait_for("refused_to_let_join", "'shop'", "'stall'"));
  EXPECT_EQ(a.members(), 1U);
}

TEST(join, happens_once_for_a_system) {
  const program a{"a"};
  const auto again = try_join(*a.system, join_options{.name = "again"});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, errc::already_exists);
  EXPECT_EQ(a.system->node().name, "a");
}

TEST(join, a_failed_attempt_leaves_the_system_as_it_was) {
  const program a{"a"};
  actor_system system{"shop", {.runs_on = make_pool()}};
  const auto refused = try_join(system, {.listen = a.node->address()});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, errc::already_exists);
  EXPECT_THROW((void)join(system, {.listen = "udp -p 1"}), muster::refused);
  const auto joined = try_join(system, {.seeds = {a.node->address()}});
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_TRUE(eventually([&] { return a.members() == 2; }));
}

TEST(join, makes_up_names_where_a_program_has_none) {
  actor_system one{"shop", {.runs_on = make_pool()}};
  actor_system two{"shop", {.runs_on = make_pool()}};
  const auto a = join(one);
  const auto b = join(two, {.seeds = {a->address()}});
  EXPECT_TRUE(eventually([&] { return a->members()->members.size() == 2 && b->members()->members.size() == 2; }));
  EXPECT_NE(a->self().name, b->self().name);
}

}  // namespace
}  // namespace muster::cluster::testing
