#include "muster/ice/registry_host.hpp"

#include <utility>

#include <fmt/format.h>

#include "muster/ice/discovery_servant.hpp"
#include "muster/ice/exceptions.hpp"
#include "muster/ice/finder_servant.hpp"
#include "muster/ice/locator_registry_servant.hpp"
#include "muster/ice/locator_servant.hpp"
#include "muster/ice/proxies.hpp"
#include "muster/ice/query_servant.hpp"
#include "muster/ice/stock_refusal_servant.hpp"
#include "muster/ice/user_account_servant.hpp"

namespace muster::ice {

namespace {

std::string adapter_name(std::string_view which) { return fmt::format("IceGrid.Registry.{}", which); }

void deactivate(const Ice::ObjectAdapterPtr& adapter) {
  if (!adapter) return;
  try {
    adapter->deactivate();
  } catch (const Ice::LocalException&) {
    // Its communicator is being destroyed, which deactivates it as well.
  }
}

// An adapter that is thrown away before it served.
void destroy(const Ice::ObjectAdapterPtr& adapter) {
  if (adapter) adapter->destroy();
}

}  // namespace

registry_host::registry_host(Ice::CommunicatorPtr communicator, registry_host_options options, ports around,
                             callbacks then)
    : communicator_{std::move(communicator)},
      options_{std::move(options)},
      shell_{around.shell},
      log_{around.log},
      figures_{around.figures},
      then_{std::move(then)} {}

registry_host::~registry_host() = default;

result<std::unique_ptr<registry_host>> registry_host::make(Ice::CommunicatorPtr communicator,
                                                           registry_host_options options, ports around,
                                                           callbacks then) {
  std::unique_ptr<registry_host> made{
      new registry_host{std::move(communicator), std::move(options), around, std::move(then)}};
  // Proxies that cannot be read stop the start, not the first one who wants a session.
  const auto& given = made->options_;
  auto readable =
      make_verifiers(made->communicator_, given.settings, {given.client_passwords, given.admin_passwords, nullptr});
  if (!readable) return fail(std::move(readable).error());
  if (auto internal = made->make_internal(); !internal) return fail(std::move(internal).error());
  return made;
}

result<Ice::ObjectAdapterPtr> registry_host::make_adapter(const std::string& name, bool is_wanted) {
  if (!is_wanted) return nullptr;
  const auto property = name + ".Endpoints";
  try {
    return communicator_->createObjectAdapter(name);
  } catch (const Ice::Exception&) {
    return fail(errc::unavailable, "cannot listen at {}={}: {}", property,
                communicator_->getProperties()->getProperty(property), to_text(std::current_exception()));
  }
}

result<void> registry_host::make_internal() {
  auto made = make_adapter(adapter_name("Internal"), true);
  if (!made) return fail(std::move(made).error());
  internal_ = *std::move(made);
  const auto& settings = options_.settings;
  internal_->add(std::make_shared<stock_refusal_servant>(log_),
                 {"InternalRegistry-" + settings.replica_name, settings.instance_name});
  if (options_.user_accounts) {
    const auto suffix = settings.is_master() ? std::string{} : "-" + settings.replica_name;
    internal_->add(std::make_shared<user_account_servant>(*options_.user_accounts),
                   {"RegistryUserAccountMapper" + suffix, settings.instance_name});
  }
  return {};
}

registry::replica_card registry_host::card() const {
  registry::replica_card own;
  const auto& settings = options_.settings;
  own.host = options_.host_name;
  own.objects.name = settings.replica_name;
  own.objects.is_master = settings.is_master();
  own.objects.internal = published_endpoints(internal_);
  own.objects.has_user_account_mapper = options_.user_accounts.has_value();
  const std::lock_guard lock{mutex_};
  own.objects.client = published_endpoints(client_);
  own.objects.server = published_endpoints(server_);
  own.objects.session_manager = published_endpoints(session_manager_);
  own.objects.admin_session_manager = published_endpoints(admin_session_manager_);
  return own;
}

void registry_host::start() { internal_->activate(); }

void registry_host::close() {
  std::vector<Ice::ObjectAdapterPtr> all;
  {
    const std::lock_guard lock{mutex_};
    closed_ = true;
    all = {discovery_, client_, server_, session_manager_, admin_session_manager_};
  }
  for (const auto& adapter : all) deactivate(adapter);
}

bool registry_host::is_closed() const {
  const std::lock_guard lock{mutex_};
  return closed_;
}

void registry_host::on_serving() {
  shell_.post([this] { open(); });
}

void registry_host::on_must_end(std::string sentence) {
  if (then_.on_end) then_.on_end(std::move(sentence));
}

void registry_host::open() {
  if (auto made = make_adapters(); !made) {
    if (!is_closed()) on_must_end(made.error().message);
    return;
  }
  try {
    add_own_servants();
    const auto& settings = options_.settings;
    const auto locator =
        Ice::uncheckedCast<Ice::LocatorPrx>(client_->createDirectProxy({"Locator", settings.instance_name}));
    auto verifiers =
        make_verifiers(communicator_, settings, {options_.client_passwords, options_.admin_passwords, locator});
    if (!verifiers) {
      on_must_end(verifiers.error().message);
      return;
    }
    const open_adapters opened{settings,         communicator_,          *service_,  client_, server_, internal_,
                               session_manager_, admin_session_manager_, *verifiers, locator, shell_,  log_};
    for (const auto& add : then_.add_servants) add(opened);
  } catch (const Ice::Exception&) {
    end_unless_closed();
    return;
  }
  // The first client is to find this replica among the well-known objects: nobody is let in before they have it.
  service_->set_card(card());
  service_->describe([this](const replication::status&) { shell_.post([this] { let_clients_in(); }); });
}

void registry_host::end_unless_closed() {
  try {
    throw;
  } catch (const Ice::ObjectAdapterDeactivatedException&) {
    // closed meanwhile
  } catch (const Ice::CommunicatorDestroyedException&) {
  } catch (const Ice::Exception&) {
    on_must_end(fmt::format("the replica cannot be opened to clients: {}", to_text(std::current_exception())));
  }
}

void registry_host::let_clients_in() {
  try {
    for (const auto& adapter : {client_, server_, session_manager_, admin_session_manager_}) {
      if (adapter) adapter->activate();
    }
  } catch (const Ice::Exception&) {
    end_unless_closed();
    return;
  }
  open_discovery();
  if (then_.on_ready) then_.on_ready();
}

result<void> registry_host::make_adapters() {
  const auto& at = options_.settings.endpoints;
  auto client = make_adapter(adapter_name("Client"), true);
  if (!client) return fail(std::move(client).error());
  auto server = make_adapter(adapter_name("Server"), true);
  if (!server) return fail(std::move(server).error());
  auto sessions = make_adapter(adapter_name("SessionManager"), !at.session_manager.empty());
  if (!sessions) return fail(std::move(sessions).error());
  auto admin_sessions = make_adapter(adapter_name("AdminSessionManager"), !at.admin_session_manager.empty());
  if (!admin_sessions) return fail(std::move(admin_sessions).error());

  const std::lock_guard lock{mutex_};
  if (closed_) {
    for (const auto& unused : {*client, *server, *sessions, *admin_sessions}) destroy(unused);
    return fail(errc::unavailable, "the replica was closed while it opened");
  }
  client_ = *std::move(client);
  server_ = *std::move(server);
  session_manager_ = *std::move(sessions);
  admin_session_manager_ = *std::move(admin_sessions);
  return {};
}

void registry_host::add_own_servants() {
  const auto& settings = options_.settings;
  const auto& instance = settings.instance_name;
  auto replica = published_endpoints(internal_).with_identity({"MusterReplica", instance});
  const auto locator = std::make_shared<locator_servant>(
      *service_, figures_, log_,
      locator_servant_options{std::move(replica), options_.seed, settings.trace.locator > 0});
  client_->add(locator, {"Locator", instance});
  client_->add(locator, {"Locator-" + settings.replica_name, instance});
  client_->add(std::make_shared<query_servant>(*service_, figures_, options_.seed + 1), {"Query", instance});
  client_->add(std::make_shared<finder_servant>(*service_), {"LocatorFinder", "Ice"});
  server_->add(std::make_shared<locator_registry_servant>(*service_, figures_, log_,
                                                          settings.trace.locator > 1 || settings.trace.adapter > 0),
               {"LocatorRegistry", instance});
}

void registry_host::open_discovery() {
  const auto& how = options_.settings.discovery;
  if (!how.enabled) return;
  Ice::ObjectAdapterPtr adapter;
  try {
    adapter = communicator_->createObjectAdapter(adapter_name("Discovery"));
    adapter->add(std::make_shared<discovery_servant>(*service_, communicator_, log_, options_.settings.trace.discovery),
                 {"Lookup", "IceLocatorDiscovery"});
    {
      const std::lock_guard lock{mutex_};
      if (!closed_) discovery_ = adapter;
    }
    if (!discovery_) {
      destroy(adapter);
      return;
    }
    adapter->activate();
  } catch (const Ice::Exception&) {
    // Clients that are told where the registry is do not need it.
    log_.write(event{severity::warning, "discovery_unavailable"}
                   .with("endpoints", how.endpoints)
                   .with("message", to_text(std::current_exception())));
    destroy(adapter);
  }
}

}  // namespace muster::ice
