"""Loaded into each Python process of a run: sends HTTP and TLS connections to other machines through the recording proxy.

Clients that read variables find the proxy there. The connections of others are led to it by the modules socket and ssl.
"""

import fnmatch
import importlib.machinery
import importlib.util
import os
import sys

#: Addresses that belong to no machine: each stands for the name of a host, which need not be looked up.
_STANDIN = "192.88.99.%d"
_MAX_STANDINS = 256
#: Bound of connecting to the proxy, which is on this machine.
_TIMEOUT_S = 10


def _process():
    return os.environ.get("TAPEDECK_PROCESS") or str(os.getpid())


class _Route:
    """Says which connections go through the proxy."""

    def __init__(self):
        entries = (os.environ.get("NO_PROXY") or os.environ.get("no_proxy") or "").lower().split(",")
        self._untouched = [entry.strip().lstrip("*").lstrip(".") or "*" for entry in entries if entry.strip()]
        self._local = os.environ.get("TAPEDECK_LOCAL", "").split(",")
        self._hosts = [host for host in os.environ.get("TAPEDECK_HOSTS", "").split(",") if host]
        self._standins = {}

    def authority(self, host, port):
        """Returns what is to be asked of the proxy, such as `api.example.com:443`; None for a connection that it does not get."""
        name = self.name(_text(host).lower())
        port = {"https": "443", "http": "80"}.get(_text(port), str(port))
        if not name or not port.isdigit() or not all("!" <= letter <= "~" for letter in name):
            return None
        place = ("[%s]:%s" if ":" in name else "%s:%s") % (name, port)
        if _is_own(name):
            return place if "localhost:" + port in self._local else None
        if any(entry == "*" or name == entry or name.endswith("." + entry) for entry in self._untouched):
            return None
        # On other ports, a host may have a database: these have to be named.
        is_named = any(fnmatch.fnmatchcase(place, host) for host in self._hosts)
        return place if is_named or port in ("443", "80") else None

    def name(self, host):
        """Returns the host that an address stands for; any other host as it is."""
        return next((known for known, address in self._standins.items() if address == host), host)

    def standin(self, host):
        """Returns an address for a host; None if too many hosts have one."""
        if host not in self._standins and len(self._standins) < _MAX_STANDINS:
            self._standins[host] = _STANDIN % len(self._standins)
        return self._standins.get(host)


def _text(value):
    return value.decode("ascii", "replace") if isinstance(value, (bytes, bytearray)) else str(value or "")


def _is_own(name):
    is_local = name == "localhost" or name.endswith(".localhost")
    return is_local or name.startswith(("127.", "::ffff:127.")) or name in ("::1", "::", "0.0.0.0")


def _is_address(host):
    return ":" in host or host.replace(".", "").isdigit()


def _patch_socket(module, route, proxy):
    host, _, port = proxy.rpartition(":")
    plain = module.socket.__mro__[1]

    def tunnel(sock, address):
        """Connects to the proxy for an address that is to go there. It answers nothing to CONNECT."""
        is_stream = sock.family in (module.AF_INET, module.AF_INET6) and sock.type == module.SOCK_STREAM
        authority = route.authority(*address[:2]) if is_stream and isinstance(address, tuple) else None
        if authority is None:
            return False
        lines = ("CONNECT %s HTTP/1.1" % authority, "Host: " + authority, "x-tapedeck-silent: 1")
        head = "\r\n".join((*lines, "x-tapedeck-process: " + _process(), "", ""))
        timeout = sock.gettimeout()
        sock.settimeout(_TIMEOUT_S)
        try:
            plain.connect(sock, (host if sock.family == module.AF_INET else "::ffff:" + host, int(port)))
            plain.sendall(sock, head.encode())
        finally:
            sock.settimeout(timeout)
        return True

    def real(address):
        """Returns an address with the name of a host in place of what stands for it: its other ports are not intercepted."""
        return (route.name(address[0]),) + address[1:] if isinstance(address, tuple) else address

    class Socket(module.socket):
        def connect(self, address):
            return None if tunnel(self, address) else plain.connect(self, real(address))

        def connect_ex(self, address):
            try:
                return 0 if tunnel(self, address) else plain.connect_ex(self, real(address))
            except OSError as error:
                return error.errno

    module.socket.connect, module.socket.connect_ex = Socket.connect, Socket.connect_ex
    lookup = module.getaddrinfo

    def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
        name = _text(host).lower()
        is_left = _is_address(name) or _is_own(name) or family not in (0, module.AF_INET)
        is_left = is_left or type not in (0, module.SOCK_STREAM) or flags & module.AI_NUMERICHOST
        standin = None if is_left or route.authority(name, port) is None else route.standin(name)
        if standin is None:
            return lookup(host, port, family, type, proto, flags)
        return lookup(standin, port, module.AF_INET, type, proto, 0)

    module.getaddrinfo = getaddrinfo


def _patch_ssl(module):
    """Contexts trust the certificates of the run when they are used, however they were made."""
    context = module.SSLContext
    try:
        with open(os.environ["TAPEDECK_CA"], encoding="ascii") as file:
            authority = file.read()
    except OSError:
        # The run has ended.
        return

    def trusting(wrap):
        def wrap_trusting(self, *args, **kwargs):
            self.load_verify_locations(cadata=authority)
            return wrap(self, *args, **kwargs)

        return wrap_trusting

    context.wrap_socket, context.wrap_bio = trusting(context.wrap_socket), trusting(context.wrap_bio)


def _patch_uvloop(module, route):
    """Its connections are made without the module socket."""
    import socket

    create, lookup = module.Loop.create_connection, module.Loop.getaddrinfo

    async def getaddrinfo(self, host, port, **options):
        if route.authority(host, port) is None:
            return await lookup(self, host, port, **options)
        return socket.getaddrinfo(host, port, **options)

    async def create_connection(self, factory, host=None, port=None, **options):
        if host is None or options.get("sock") is not None or route.authority(host, port) is None:
            return await create(self, factory, host, port, **options)
        sock = socket.create_connection((host, port))
        sock.setblocking(False)
        if options.get("ssl"):
            options.setdefault("server_hostname", host)
        return await create(self, factory, sock=sock, **options)

    module.Loop.create_connection, module.Loop.getaddrinfo = create_connection, getaddrinfo


def _install(proxy, bundle):
    scheme, _, place = proxy.partition("://")
    # Clients send the user of a proxy's URL with each connection: the proxy knows the process by it.
    own = "%s://%s:tapedeck@%s" % (scheme, _process(), place)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        os.environ[name] = own

    # Clients that use one of these do not tell their process.
    for name in os.environ.get("TAPEDECK_BASE_URLS", "").split(","):
        os.environ.pop(name, None)

    route = _Route()

    # With the variables of the proxy, plain HTTP is intercepted on any port.
    def trust_environment(*classes):
        for each in classes:

            def __init__(self, *args, _init=each.__init__, **kwargs):
                kwargs["trust_env"] = True
                _init(self, *args, **kwargs)

            each.__init__ = __init__

    def patch_httpx(module):
        trust_environment(module.Client, module.AsyncClient)

    def patch_certifi(module):
        module.where = lambda: bundle
        module.contents = lambda: open(bundle, encoding="ascii").read()

    patches = {
        "socket": lambda module: _patch_socket(module, route, place),
        "ssl": _patch_ssl,
        "uvloop": lambda module: _patch_uvloop(module, route),
        "aiohttp.client": lambda module: trust_environment(module.ClientSession),
        "httpx._client": patch_httpx,
        "httpx2._client": patch_httpx,
        "certifi.core": patch_certifi,
    }
    for name in [name for name in patches if name in sys.modules]:
        patches.pop(name)(sys.modules[name])

    class Finder:
        """Patches a module after it has run."""

        @staticmethod
        def find_spec(name, path=None, target=None):
            if name not in patches:
                return None
            patch = patches.pop(name)
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            if spec is None or spec.loader is None:
                return spec
            run = spec.loader.exec_module

            def exec_module(module):
                run(module)
                patch(module)

            spec.loader.exec_module = exec_module
            return spec

    sys.meta_path.insert(0, Finder)


def _run_next():
    """Runs the sitecustomize that this one hides."""
    here = os.path.dirname(os.path.abspath(__file__))
    folders = [folder for folder in sys.path if os.path.abspath(folder or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", folders)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if os.environ.get("TAPEDECK_PROXY") and os.environ.get("TAPEDECK_BUNDLE"):
    _install(os.environ["TAPEDECK_PROXY"], os.environ["TAPEDECK_BUNDLE"])
_run_next()
