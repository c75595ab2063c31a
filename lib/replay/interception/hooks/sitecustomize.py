"""Loaded into each Python process of a run: clients that read no environment get its proxy and its certificate too."""

import importlib.machinery
import importlib.util
import os
import sys


def _install(proxy, bundle):
    process = os.environ.get("TAPEDECK_PROCESS") or str(os.getpid())
    scheme, _, place = proxy.partition("://")
    # Clients send the user of a proxy's URL with each connection: the proxy knows the process by it.
    own = "%s://%s:tapedeck@%s" % (scheme, process, place)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        os.environ[name] = own

    # Clients that use one of these do not tell their process.
    for name in os.environ.get("TAPEDECK_BASE_URLS", "").split(","):
        # Without it, a client of Ollama would ask this machine, for which there is no proxy.
        if name != "OLLAMA_HOST":
            os.environ.pop(name, None)

    def patch_aiohttp(module):
        session = module.ClientSession
        init = session.__init__

        def __init__(self, *args, **kwargs):
            kwargs["trust_env"] = True
            init(self, *args, **kwargs)

        session.__init__ = __init__

    def patch_httpx(module):
        for name in ("Client", "AsyncClient"):
            client = getattr(module, name)

            def __init__(self, *args, _init=client.__init__, **kwargs):
                kwargs["trust_env"] = True
                _init(self, *args, **kwargs)

            client.__init__ = __init__

    def patch_certifi(module):
        module.where = lambda: bundle
        module.contents = lambda: open(bundle, encoding="ascii").read()

    patches = {
        "aiohttp.client": patch_aiohttp,
        "httpx._client": patch_httpx,
        "httpx2._client": patch_httpx,
        "certifi.core": patch_certifi,
    }

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
