"""The stock Python run time (python3-zeroc-ice) as a client and as a server of the tests."""

import contextlib

import Ice

Ice.loadSlice(f"-I{Ice.getSliceDir()} --all {Ice.getSliceDir()}/IceGrid/Registry.ice {Ice.getSliceDir()}/IceGrid/UserAccountMapper.ice")
import IceGrid  # noqa: E402  pylint: disable=wrong-import-position


@contextlib.contextmanager
def communicator(locator=None, **properties):
    """A communicator with this default locator; property names are given with `__` for `.`."""
    data = Ice.InitializationData()
    data.properties = Ice.createProperties()
    data.properties.setProperty("Ice.Warn.Connections", "0")
    if locator:
        data.properties.setProperty("Ice.Default.Locator", locator)
    for name, value in properties.items():
        data.properties.setProperty(name.replace("__", "."), str(value))
    made = Ice.initialize(data)
    try:
        yield made
    finally:
        made.destroy()


def locator_of(made):
    return IceGrid.LocatorPrx.uncheckedCast(made.getDefaultLocator())


@contextlib.contextmanager
def admin_session(made, instance, replica="Master", user="test", password="any"):
    """An administrative session with one replica, kept alive by its connection."""
    suffix = "" if replica == "Master" else f"-{replica}"
    registry = IceGrid.RegistryPrx.uncheckedCast(
        made.stringToProxy(f"{instance}/Registry{suffix}").ice_locatorCacheTimeout(0))
    session = registry.createAdminSession(user, password)
    session.ice_getConnection().setACM(Ice.Unset, Ice.ACMClose.CloseOff, Ice.ACMHeartbeat.HeartbeatAlways)
    try:
        yield session.getAdmin()
    finally:
        with contextlib.suppress(Ice.LocalException):
            session.destroy()
