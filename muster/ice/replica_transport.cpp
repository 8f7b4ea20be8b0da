#include "muster/ice/replica_transport.hpp"

#include <algorithm>
#include <exception>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include <IceGrid/Registry.h>
#include <fmt/format.h>

#include "muster/ice/certificate_name.hpp"
#include "muster/ice/proxies.hpp"
#include "muster/ice/replica_servant.hpp"

namespace muster::ice {
namespace {

registry::registration_failure to_failure(Muster::RegistrationFailure why) {
  switch (why) {
    case Muster::RegistrationFailure::AdapterUnknown: return registry::registration_failure::adapter_unknown;
    case Muster::RegistrationFailure::AdapterActive: return registry::registration_failure::adapter_active;
    case Muster::RegistrationFailure::ReplicaGroupInvalid: return registry::registration_failure::replica_group_invalid;
    case Muster::RegistrationFailure::ServerUnknown: return registry::registration_failure::server_unknown;
    case Muster::RegistrationFailure::MasterUnavailable: return registry::registration_failure::unavailable;
    case Muster::RegistrationFailure::OutcomeUnknown: return registry::registration_failure::outcome_unknown;
  }
  return registry::registration_failure::outcome_unknown;
}

// What a slave tells its server when the master did not do what it was handed.
registry::registration_outcome to_outcome(const std::exception_ptr& what) {
  using registry::registration_failure;
  const auto refuse = [](registration_failure why, std::string reason) {
    return registry::registration_outcome{tl::unexpected<registry::registration_refusal>{{why, std::move(reason)}}};
  };
  try {
    std::rethrow_exception(what);
  } catch (const Muster::RegistrationRefused& refused) {
    return refuse(to_failure(refused.failure), refused.reason);
  } catch (const Ice::InvocationTimeoutException&) {
    return refuse(registration_failure::outcome_unknown, "the master did not answer in time");
  } catch (const Ice::LocalException& broken) {
    return refuse(registration_failure::outcome_unknown,
                  fmt::format("the connection to the master broke before it answered ({})", broken.ice_id()));
  } catch (const std::exception& odd) {
    return refuse(registration_failure::outcome_unknown, odd.what());
  }
}

// The name that a handshake message claims for its sender; the other messages belong to a session that one began.
const replication::self_description* claims_of(const replication::message& what) {
  return std::visit(
      [](const auto& one) -> const replication::self_description* {
        if constexpr (requires { one.from.name; }) {
          return &one.from;
        } else {
          return nullptr;
        }
      },
      what);
}

}  // namespace

class replica_transport::asking {
 public:
  asking(std::shared_ptr<replica_transport> by, replication::describe question)
      : by_{std::move(by)}, question_{std::move(question)} {}
  asking(const asking&) = delete;
  asking& operator=(const asking&) = delete;
  ~asking() { by_->service_->handle_discovery_complete(question_.round); }

  /// How a locator is known. The operator vouches for what is configured. What was learned, in an earlier life or from
  /// an answer of this round, leads only to replicas that are reached as securely as this one demands to be reached:
  /// else whoever listens at a client endpoint could lead a slave of a grid with TLS to a master without.
  enum class lead { configured, recorded, told };

  /// Asks the locator behind each endpoint for its replica, and that replica. Unless this was told by another locator,
  /// it is asked for the others that it knows as well, which are then asked likewise: so one that runs, be it a slave,
  /// leads to the master.
  static void through(const std::shared_ptr<asking>& self, const std::shared_ptr<Ice::ObjectPrx>& locator, lead how) {
    const Ice::Identity all{"Locator", self->by_->options_.instance_name};
    for (const auto& endpoint : locator->ice_getEndpoints()) {
      if (!self->is_new(fmt::format("{} {}", how == lead::configured, endpoint->toString()))) continue;
      auto one = Ice::uncheckedCast<Ice::LocatorPrx>(locator->ice_endpoints({endpoint})
                                                         ->ice_locator(nullptr)
                                                         ->ice_timeout(self->bound_ms())
                                                         ->ice_invocationTimeout(self->bound_ms()));
      attempt([&] {
        one->findObjectByIdAsync(
            self->by_->identity(),
            [self, how](const std::shared_ptr<Ice::ObjectPrx>& internal) {
              if (internal) ask(self, how == lead::configured ? internal : self->as_secure_as_own(internal));
            },
            [self](const std::exception_ptr&) {});
      });
      if (how == lead::told) continue;
      attempt([&] {
        one->findObjectByIdAsync(
            all,
            [self](const std::shared_ptr<Ice::ObjectPrx>& others) {
              if (others) through(self, others->ice_twoway(), lead::told);
            },
            [self](const std::exception_ptr&) {});
      });
    }
  }

  /// Asks the replica at its internal endpoints, once a round.
  static void ask(const std::shared_ptr<asking>& self, const std::shared_ptr<Ice::ObjectPrx>& internal) {
    if (!self->is_another(internal)) return;
    // An id of its own keeps the connection apart from all others to these endpoints: it carries nothing but this.
    auto proxy = internal->ice_identity(self->by_->identity())
                     ->ice_locator(nullptr)
                     ->ice_collocationOptimized(false)
                     ->ice_connectionId("muster-replica")
                     ->ice_timeout(self->bound_ms());
    attempt([&] {
      proxy->ice_getConnectionAsync([self](const Ice::ConnectionPtr& connection) { put(self, connection); },
                                    [self](const std::exception_ptr&) {});
    });
  }

 private:
  template <typename Start>
  static void attempt(Start&& start) {
    try {
      start();
    } catch (const Ice::LocalException&) {
      // It cannot even be tried (an address that does not resolve; the end of the process): as good as no answer.
    }
  }

  static void put(const std::shared_ptr<asking>& self, const Ice::ConnectionPtr& connection) {
    // None: these are our own endpoints, and the run time dispatches to an adapter of its own without a connection.
    if (!connection) return;
    const auto link = self->by_->link_of(connection);
    if (!link) return;
    {
      const std::lock_guard lock{self->by_->mutex_};
      self->by_->awaited_[link->id().value()] = self;
    }
    link->send(self->question_, replication::handshake_version);
  }

  std::shared_ptr<Ice::ObjectPrx> own() const {
    const std::lock_guard lock{by_->mutex_};
    return by_->own_;
  }

  static bool is_secure(const Ice::EndpointPtr& endpoint) {
    const auto info = endpoint->getInfo();
    return info && info->secure();
  }

  /// Where all internal endpoints of this replica are secure, with the secure ones of the other's alone.
  [[nodiscard]] std::shared_ptr<Ice::ObjectPrx> as_secure_as_own(const std::shared_ptr<Ice::ObjectPrx>& other) const {
    const auto self = own();
    if (!self || !std::ranges::all_of(self->ice_getEndpoints(), is_secure)) return other;
    auto endpoints = other->ice_getEndpoints();
    std::erase_if(endpoints, [](const auto& one) { return !is_secure(one); });
    return other->ice_endpoints(endpoints);
  }

  /// Not this replica itself, nor one that this round has asked already.
  bool is_another(const std::shared_ptr<Ice::ObjectPrx>& internal) {
    const auto endpoints = internal->ice_getEndpoints();
    if (endpoints.empty()) return false;
    const auto self = own();
    const auto same = [](const Ice::EndpointPtr& left, const Ice::EndpointPtr& right) { return *left == *right; };
    if (self && std::ranges::equal(self->ice_getEndpoints(), endpoints, same)) return false;
    std::string key;
    for (const auto& endpoint : endpoints) key += endpoint->toString() + ':';
    return is_new(std::move(key));
  }

  bool is_new(std::string key) {
    const std::lock_guard lock{mutex_};
    return asked_.size() < asked_max && asked_.insert(std::move(key)).second;
  }

  [[nodiscard]] int bound_ms() const { return static_cast<int>(by_->options_.discovery_timeout.count()); }

  // Far more than a grid has; an answer that names more of them makes no more work than this.
  static constexpr std::size_t asked_max = 1024;

  const std::shared_ptr<replica_transport> by_;
  const replication::describe question_;
  std::mutex mutex_;
  std::set<std::string> asked_;  ///< locators by endpoint, replicas by all their internal endpoints
};

std::shared_ptr<replica_transport> replica_transport::make(Ice::CommunicatorPtr communicator,
                                                           replica_transport_options options, event_log& log) {
  std::shared_ptr<replica_transport> made{new replica_transport{std::move(communicator), std::move(options), log}};
  made->make_answering_adapter();
  return made;
}

replica_transport::replica_transport(Ice::CommunicatorPtr communicator, replica_transport_options options,
                                     event_log& log)
    : communicator_{std::move(communicator)}, options_{std::move(options)}, log_{log} {}

replica_transport::~replica_transport() = default;

void replica_transport::make_answering_adapter() {
  answering_ = communicator_->createObjectAdapter("");
  answering_->add(servant(), identity());
  answering_->activate();
}

void replica_transport::attach(registry::service& to) { service_ = &to; }

void replica_transport::set_own_proxy(const std::shared_ptr<Ice::ObjectPrx>& internal) {
  const std::lock_guard lock{mutex_};
  own_ = internal;
}

std::shared_ptr<Ice::Object> replica_transport::servant() {
  return std::make_shared<replica_servant>(weak_from_this());
}

void replica_transport::close() {
  std::vector<std::shared_ptr<replica_link>> all;
  std::unordered_map<std::uint64_t, std::shared_ptr<asking>> awaited;
  {
    const std::lock_guard lock{mutex_};
    closed_ = true;
    for (const auto& [id, link] : links_) all.push_back(link);
    awaited.swap(awaited_);
  }
  for (const auto& link : all) link->close();
}

// --- The strand's calls ---

void replica_transport::send(replication::outgoing message) {
  if (const auto link = find(message.to)) link->send(message.what, message.version);
}

void replica_transport::discover(replication::discover what) {
  const auto round = std::make_shared<asking>(shared_from_this(), what.question);
  decltype(awaited_) given_up;
  {
    const std::lock_guard lock{mutex_};
    given_up.swap(awaited_);
  }
  for (const auto& replica : what.recorded) {
    const auto card = registry::decode_replica_card(replica.endpoints);
    if (!card) continue;
    const auto direct = [&](const catalog::encoded_proxy& at) -> std::shared_ptr<Ice::ObjectPrx> {
      if (at.is_null()) return nullptr;
      return to_proxy(communicator_, at.content()).value_or(nullptr);
    };
    if (const auto internal = direct(card->objects.internal)) asking::ask(round, internal);
    // Internal endpoints may have another port since that replica was started again; those for clients have a fixed
    // one.
    if (const auto client = direct(card->objects.client)) {
      asking::through(round, client->ice_identity({"Locator", options_.instance_name}), asking::lead::recorded);
    }
  }
  try {
    const auto locator = communicator_->getDefaultLocator();
    if (!locator) return;
    if (!options_.locator_is_discovered) {
      asking::through(round, locator, asking::lead::configured);
      return;
    }
    // The plug-in's locator is one object in this process; behind it the registry's own Query knows all replicas.
    const auto bound = static_cast<int>(options_.discovery_timeout.count());
    auto query = Ice::uncheckedCast<IceGrid::QueryPrx>(
        communicator_->stringToProxy(communicator_->identityToString({"Query", options_.instance_name}))
            ->ice_locatorCacheTimeout(0)
            ->ice_invocationTimeout(bound));
    query->findObjectByIdAsync(
        {"Locator", options_.instance_name},
        [round](const std::shared_ptr<Ice::ObjectPrx>& all) {
          if (all) asking::through(round, all, asking::lead::configured);
        },
        [round](const std::exception_ptr&) {});
  } catch (const Ice::LocalException& failed) {
    log_.write(event{severity::warning, "replica_search_failed"}.with("message", failed.what()));
  }
}

void replica_transport::forward(replication::peer_id master, registry::adapter_registration what,
                                registry::registration_done done) {
  forward(master, std::move(done), [&](const auto& remote, auto answered, auto failed) {
    const auto content = what.proxy.content();
    remote->setAdapterAsync(what.adapter_id, what.replica_group_id, {content.begin(), content.end()},
                            std::move(answered), std::move(failed));
  });
}

void replica_transport::forward(replication::peer_id master, registry::process_registration what,
                                registry::registration_done done) {
  forward(master, std::move(done), [&](const auto& remote, auto answered, auto failed) {
    const auto content = what.process.content();
    remote->setServerProcessAsync(what.server_id, {content.begin(), content.end()}, std::move(answered),
                                  std::move(failed));
  });
}

template <typename Send>
void replica_transport::forward(replication::peer_id master, registry::registration_done done, const Send& send) {
  const auto link = find(master);
  if (!link) {
    done(tl::unexpected<registry::registration_refusal>{
        {registry::registration_failure::unavailable, "the connection to the master is gone"}});
    return;
  }
  const auto shared = std::make_shared<registry::registration_done>(std::move(done));
  try {
    send(
        link->remote()->ice_invocationTimeout(static_cast<int>(options_.forward_timeout.count())),
        [shared] { (*shared)({}); }, [shared](const std::exception_ptr& failed) { (*shared)(to_outcome(failed)); });
  } catch (const Ice::LocalException&) {
    (*shared)(to_outcome(std::current_exception()));
  }
}

void replica_transport::shut_down(replication::peer_id slave) {
  const auto link = find(slave);
  if (!link) return;
  try {
    link->remote()->ice_oneway()->shutdownAsync(nullptr, [](const std::exception_ptr&) {});
  } catch (const Ice::LocalException&) {
    // Gone, which is what was asked for.
  }
}

// --- What comes in ---

std::shared_ptr<replica_link> replica_transport::find(replication::peer_id which) const {
  const std::lock_guard lock{mutex_};
  const auto found = links_.find(which.value());
  return found == links_.end() ? nullptr : found->second;
}

std::shared_ptr<replica_link> replica_transport::link_of(const Ice::ConnectionPtr& connection) {
  std::shared_ptr<replica_link> made;
  {
    const std::lock_guard lock{mutex_};
    if (closed_) return nullptr;
    if (const auto found = by_connection_.find(connection.get()); found != by_connection_.end()) {
      return links_.at(found->second);
    }
    try {
      made = std::make_shared<replica_link>(replication::peer_id{++last_peer_}, connection, identity(),
                                            options_.in_flight_bytes_max);
      connection->setAdapter(answering_);
    } catch (const Ice::LocalException&) {
      return nullptr;  // closed in this instant
    }
    links_.emplace(made->id().value(), made);
    by_connection_.emplace(connection.get(), made->id().value());
  }
  // Called at once, on another thread, if the connection is closed already.
  connection->setCloseCallback([weak = weak_from_this()](const Ice::ConnectionPtr& closed) {
    if (const auto self = weak.lock()) self->handle_closed(closed);
  });
  return made;
}

void replica_transport::handle_closed(const Ice::ConnectionPtr& connection) {
  std::shared_ptr<asking> answered;
  replication::peer_id gone;
  {
    const std::lock_guard lock{mutex_};
    const auto found = by_connection_.find(connection.get());
    if (found == by_connection_.end()) return;
    gone = replication::peer_id{found->second};
    by_connection_.erase(found);
    links_.erase(gone.value());
    if (const auto waits = awaited_.find(gone.value()); waits != awaited_.end()) {
      answered = std::move(waits->second);
      awaited_.erase(waits);
    }
  }
  service_->handle_peer_gone(gone);
}

bool replica_transport::may_speak(const replica_link& link, const replication::message& what) {
  if (!options_.requires_certificate_name) return true;
  const auto* claims = claims_of(what);
  if (claims == nullptr) return true;
  auto name = peer_common_name(link.connection());
  if (name && *name == claims->name) return true;
  const auto why = name ? fmt::format(
                              "the peer calls itself '{}', and its certificate is for '{}'; "
                              "IceGrid.Registry.RequireReplicaCertCN wants them to be the same",
                              claims->name, *name)
                        : name.error().message;
  log_.write(event{severity::error, "replica_certificate_refused"}.with("replica", claims->name).with("message", why));
  // So that the other side's log says why, too.
  replication::refused refusal{.attempt = 0,
                               .reason = replication::refusal::asked_to_leave,
                               .sentence = fmt::format("replica '{}' refuses: {}", options_.replica_name, why),
                               .from = *claims};
  refusal.from.name = options_.replica_name;
  if (const auto* asked = std::get_if<replication::open>(&what)) {
    refusal.attempt = asked->attempt;
  } else if (!std::holds_alternative<replication::describe>(what)) {
    return false;
  }
  find(link.id())->send(std::move(refusal), replication::handshake_version);
  return false;
}

// The core has no session to which the refusal of a question belongs: to it, the other one has not answered.
void replica_transport::tell_refused_question(const replica_link& link, const replication::refused& what) {
  {
    const std::lock_guard lock{mutex_};
    if (!awaited_.contains(link.id().value())) return;
    if (std::exchange(told_refusal_, what.sentence) == what.sentence) return;
  }
  log_.write(event{severity::error, "question_refused"}.with("replica", what.from.name).with("message", what.sentence));
}

void replica_transport::handle_frame(const Ice::ConnectionPtr& connection, byte_view frame) {
  const auto link = link_of(connection);
  if (!link) return;
  auto message = link->receive(frame);
  if (!message) {
    log_.write(event{severity::warning, "replica_message_unreadable"}
                   .with("peer", connection->toString())
                   .with("message", message.error().message));
    link->close();
    return;
  }
  if (!*message) return;
  if (!may_speak(*link, **message)) {
    link->close();
    return;
  }
  if (const auto* refusal = std::get_if<replication::refused>(&**message)) tell_refused_question(*link, *refusal);
  std::shared_ptr<asking> answered;
  const bool is_answer = std::holds_alternative<replication::description>(**message);
  service_->handle_message(link->id(), std::move(**message));
  if (!is_answer) return;
  const std::lock_guard lock{mutex_};
  if (const auto waits = awaited_.find(link->id().value()); waits != awaited_.end()) {
    answered = std::move(waits->second);
    awaited_.erase(waits);
  }
}

}  // namespace muster::ice
