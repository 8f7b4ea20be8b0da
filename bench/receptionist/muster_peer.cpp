#include "bench/receptionist/muster_peer.hpp"

#include <malloc.h>

#include <algorithm>
#include <future>
#include <iostream>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace muster::bench {

namespace {

using namespace std::chrono_literals;
using receptionist::deregistered;
using receptionist::registered;

constexpr std::size_t key_characters = 16;
constexpr auto answer_timeout = 30s;

std::string key_name(const std::string& prefix, std::size_t number) {
  return fmt::format("{}{:0{}}", prefix, number, key_characters - prefix.size());
}

std::vector<service_key<work>> make_keys(const std::string& prefix, std::size_t count) {
  std::vector<service_key<work>> keys;
  keys.reserve(count);
  for (std::size_t i = 0; i < count; ++i) keys.emplace_back(key_name(prefix, i));
  return keys;
}

/// Sees so many acknowledgements come.
class acknowledged {
 public:
  acknowledged(actor_system& of, std::size_t count)
      : ref_{of.spawn<registered>("",
                                  [left = count, done = done_](const registered&) mutable {
                                    if (--left == 0) done->set_value();
                                  })},
        system_{of} {}
  ~acknowledged() { system_.stop(ref_); }
  acknowledged(const acknowledged&) = delete;
  acknowledged& operator=(const acknowledged&) = delete;

  [[nodiscard]] const actor_ref<registered>& ref() const noexcept { return ref_; }
  void wait() { done_->get_future().wait(); }

 private:
  std::shared_ptr<std::promise<void>> done_ = std::make_shared<std::promise<void>>();
  actor_ref<registered> ref_;
  actor_system& system_;
};

/// Registers and deregisters again and again, under so many keys at a time.
class churner final : public actor<std::variant<registered, deregistered>> {
 public:
  churner(receptionist::handle desk, actor_ref<work> who, std::size_t count, std::size_t outstanding,
          std::shared_ptr<std::promise<void>> done)
      : desk_{std::move(desk)},
        who_{std::move(who)},
        to_begin_{count},
        to_end_{count},
        outstanding_{outstanding},
        done_{std::move(done)} {}

  void on_start(context& self) override {
    for (const auto& key : make_keys("churn-", outstanding_)) begin(self, key);
  }
  void receive(context& self, message_type what) override {
    if (const auto* in = std::get_if<registered>(&what)) {
      desk_.tell(receptionist::deregister{in->key, who_, self.self()});
      return;
    }
    if (--to_end_ == 0) return done_->set_value();
    begin(self, service_key<work>{std::get<deregistered>(what).key});
  }

 private:
  void begin(context& self, const service_key<work>& key) {
    if (to_begin_ == 0) return;
    --to_begin_;
    desk_.tell(receptionist::register_{key, who_, self.self()});
  }

  receptionist::handle desk_;
  actor_ref<work> who_;
  std::size_t to_begin_;
  std::size_t to_end_;
  std::size_t outstanding_;
  std::shared_ptr<std::promise<void>> done_;
};

}  // namespace

muster_peer::muster_peer(muster_node& at) : at_{at}, followed_{std::make_shared<followed_keys>()} {
  spawn(1);
  follower_ = at_.system().spawn<listing<work>>("follower", [followed = followed_](const listing<work>& now) {
    const auto size = now.refs.size();
    const auto time = now_ns();
    followed->put(now.key.id(), size, time);
  });
  const auto number = [](const std::string& word) { return static_cast<std::size_t>(std::stoull(word)); };
  commands_ = {
      {"members", [=, this](const words& w) { return at_.await_members(number(w.at(1))), numbers{}; }},
      {"spawn", [=, this](const words& w) { return spawn(number(w.at(1))); }},
      {"follow", [=, this](const words& w) { return follow(w.at(1)); }},
      {"await", [=, this](const words& w) { return numbers{followed_->await(w.at(1), number(w.at(2)))}; }},
      {"register", [=, this](const words& w) { return register_one(w.at(1)); }},
      {"deregister", [=, this](const words& w) { return deregister_one(w.at(1)); }},
      {"fill", [=, this](const words& w) { return fill(w.at(1), number(w.at(2))); }},
      {"crowd", [=, this](const words& w) { return crowd(w.at(1)); }},
      {"count",
       [=, this](const words& w) {
         return numbers{static_cast<std::int64_t>(remaining(w.at(1), number(w.at(2))).size())};
       }},
      {"sample", [=, this](const words& w) { return sample(w.at(1), number(w.at(2)), number(w.at(3))); }},
      {"gone", [=, this](const words& w) { return gone(w.at(1), number(w.at(2))); }},
      {"lookup", [=, this](const words& w) { return lookup(w.at(1), number(w.at(2))); }},
      {"find", [=, this](const words& w) { return find(w.at(1), number(w.at(2))); }},
      {"churn", [=, this](const words& w) { return churn(number(w.at(1)), number(w.at(2))); }},
      {"settle", [](const words&) { return (void)::malloc_trim(0), numbers{}; }},
      {"heap", [=, this](const words&) { return heap(); }},
      {"traffic",
       [=, this](const words&) {
         const auto sent = at_.sent();
         return numbers{static_cast<std::int64_t>(sent.frames_sent), static_cast<std::int64_t>(sent.bytes_sent),
                        static_cast<std::int64_t>(sent.gossip_bytes_sent)};
       }},
  };
}

std::string muster_peer::answer(const std::string& line) {
  words parts;
  for (std::size_t begin = 0; begin <= line.size();) {
    const auto end = std::min(line.find(' ', begin), line.size());
    parts.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  const auto command = commands_.find(parts.at(0));
  if (command == commands_.end()) return fmt::format("error there is no command {}", parts.at(0));
  try {
    std::string text = "ok";
    for (const auto one : command->second(parts)) text += fmt::format(" {}", one);
    return text;
  } catch (const std::exception& why) {
    return fmt::format("error {}", why.what());
  }
}

muster_peer::numbers muster_peer::spawn(std::size_t count) {
  actors_.clear();
  for (std::size_t i = 0; i < count; ++i) actors_.push_back(at_.system().spawn<work>("", [](const work&) {}));
  return {};
}

muster_peer::numbers muster_peer::follow(const std::string& key) {
  at_.desk().tell(receptionist::subscribe{service_key<work>{key}, follower_});
  return {};
}

muster_peer::numbers muster_peer::register_one(const std::string& key) {
  const service_key<work> under{key};
  const auto begin = now_ns();
  auto done = at_.system().ask<registered>(
      at_.desk().ref(),
      [&](auto reply_to) {
        return receptionist::register_{under, actors_.front(), reply_to};
      },
      answer_timeout);
  if (auto answer = done.get(); !answer) throw std::runtime_error{answer.error().message};
  return {begin};
}

muster_peer::numbers muster_peer::deregister_one(const std::string& key) {
  const service_key<work> under{key};
  const auto begin = now_ns();
  auto done = at_.system().ask<deregistered>(
      at_.desk().ref(),
      [&](auto reply_to) {
        return receptionist::deregister{under, actors_.front(), reply_to};
      },
      answer_timeout);
  if (auto answer = done.get(); !answer) throw std::runtime_error{answer.error().message};
  return {begin};
}

muster_peer::numbers muster_peer::fill(const std::string& prefix, std::size_t count) {
  const auto keys = make_keys(prefix, count);
  acknowledged all{at_.system(), count};
  const auto begin = now_ns();
  for (std::size_t i = 0; i < count; ++i) {
    at_.desk().tell(receptionist::register_{keys[i], actors_[i % actors_.size()], all.ref()});
  }
  all.wait();
  return {begin, now_ns()};
}

muster_peer::numbers muster_peer::crowd(const std::string& key) {
  const service_key<work> under{key};
  acknowledged all{at_.system(), actors_.size()};
  for (const auto& one : actors_) at_.desk().tell(receptionist::register_{under, one, all.ref()});
  all.wait();
  return {};
}

muster_peer::numbers muster_peer::sample(const std::string& prefix, std::size_t count, std::size_t samples) {
  std::set<std::string> chosen{key_name(prefix, count - 1)};
  for (std::size_t i = 0; i < samples; ++i) chosen.insert(key_name(prefix, i * count / samples));
  samples_.assign(chosen.begin(), chosen.end());
  for (const auto& key : samples_) follow(key);
  for (const auto& key : samples_) (void)followed_->await(key, 1);
  return {};
}

muster_peer::numbers muster_peer::gone(const std::string& prefix, std::size_t count) {
  std::int64_t last = 0;
  for (const auto& key : samples_) last = std::max(last, followed_->await(key, 0));
  const auto left = remaining(prefix, count);
  for (const auto& key : left) {
    // Only subscribers are told, and these are more keys than one may subscribe to: so it asks until it holds.
    while (!at_.desk().lookup(key).refs.empty()) {
      std::this_thread::sleep_for(100us);  // tidy: allow, because nobody tells of what is waited for
    }
  }
  return {left.empty() ? last : now_ns(), static_cast<std::int64_t>(left.size())};
}

std::vector<service_key<work>> muster_peer::remaining(const std::string& prefix, std::size_t count) const {
  auto keys = make_keys(prefix, count);
  std::erase_if(keys, [&](const auto& key) { return at_.desk().lookup(key).refs.empty(); });
  return keys;
}

muster_peer::numbers muster_peer::lookup(const std::string& key, std::size_t count) {
  const service_key<work> of{key};
  const auto size = at_.desk().lookup(of).refs.size();
  const auto begin = now_ns();
  for (std::size_t i = 0; i < count; ++i) {
    if (at_.desk().lookup(of).refs.size() != size) throw std::runtime_error{"the listing has changed meanwhile"};
  }
  return {now_ns() - begin, static_cast<std::int64_t>(size)};
}

muster_peer::numbers muster_peer::find(const std::string& key, std::size_t count) {
  const service_key<work> of{key};
  const auto done = std::make_shared<std::promise<void>>();
  const auto asker = at_.system().spawn<listing<work>>(
      "", [desk = at_.desk(), of, left = count, done](auto& self, const listing<work>& found) mutable {
        if (found.refs.empty()) return;
        if (--left == 0) return done->set_value();
        desk.tell(receptionist::find{of, self.self()});
      });
  const auto begin = now_ns();
  at_.desk().tell(receptionist::find{of, asker});
  done->get_future().wait();
  const auto took = now_ns() - begin;
  at_.system().stop(asker);
  return {took};
}

muster_peer::numbers muster_peer::churn(std::size_t count, std::size_t outstanding) {
  const auto done = std::make_shared<std::promise<void>>();
  const auto begin = now_ns();
  const auto who = at_.system().spawn<churner>("", at_.desk(), actors_.front(), count, outstanding, done);
  done->get_future().wait();
  const auto took = now_ns() - begin;
  at_.system().stop(who);
  return {took};
}

muster_peer::numbers muster_peer::heap() {
  const auto use = ::mallinfo2();
  return {static_cast<std::int64_t>(use.uordblks + use.hblkhd)};
}

int serve_as_muster_peer(const muster_node_options& how) {
  muster_node node{how};
  muster_peer peer{node};
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << peer.answer(line) << std::endl;
  }
  return 0;
}

}  // namespace muster::bench
