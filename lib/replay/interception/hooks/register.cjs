"use strict";
/**
 * Preloaded into each process of a run on Node.js or Bun: sends HTTP and TLS connections to other machines through the
 * recording proxy. Connections to this machine stay as they are, but for the places of TAPEDECK_LOCAL (such as Ollama's).
 */
const http = require("node:http");
const http2 = require("node:http2");
const https = require("node:https");
const net = require("node:net");
const tls = require("node:tls");
const { subscribe } = require("node:diagnostics_channel");
const { appendFileSync, readFileSync } = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const { threadId } = require("node:worker_threads");
const { carryVariables } = require("./children.cjs");
const { carryMarks } = require("./marks.cjs");

/** An installed runner that answers tasks from a cache, which then make no calls. */
const taskRunner = /[/\\]node_modules[/\\].*[/\\](turbo|nx)(?:\.js)?$/.exec(process.argv[1] ?? "")?.[1];
const installed = Symbol.for("tapedeck.interception");
const origin = process.env.TAPEDECK_PROXY;

function install() {
  const proxy = new URL(origin);
  const certificateFile = process.env.TAPEDECK_CA;
  const local = new Set((process.env.TAPEDECK_LOCAL ?? "").split(",").filter(Boolean));
  const untouched = (process.env.NO_PROXY ?? process.env.no_proxy ?? "")
    .split(",")
    .map((entry) =>
      entry
        .trim()
        .toLowerCase()
        .replace(/^\*?\./, ""),
    )
    .filter(Boolean);
  // Some clients refuse a base URL beside settings of their own, and none of those that use it tells its process.
  for (const name of (process.env.TAPEDECK_BASE_URLS ?? "").split(",")) delete process.env[name];
  const wantsTunnel = Symbol("tapedeck.tunnel");
  const isOffered = Symbol("tapedeck.offered");
  let certificate;

  const noted = new Set();
  const isBun = process.versions.bun !== undefined;

  if (taskRunner && !threadId) {
    // What follows the separator are arguments of the tasks.
    const flags = `${process.argv.join(" ").split(" -- ")[0]} `;
    const { TURBO_ENV_MODE, TURBO_FORCE, NX_SKIP_NX_CACHE, NX_DISABLE_NX_CACHE } = process.env;
    const isStrict = /--env-mode[= ]strict/.test(flags) || TURBO_ENV_MODE === "strict";
    if (isStrict) noteLine(`strict ${taskRunner}`);
    const runsAll = {
      turbo: [/ --force(?:=true)? /, TURBO_FORCE],
      nx: [/ --(?:skip|disable)-?nx-?cache(?:=true)? /i, NX_SKIP_NX_CACHE ?? NX_DISABLE_NX_CACHE],
    };
    const [flag, variable] = runsAll[taskRunner];
    if (!(flag.test(flags) || /^(?:true|1)$/.test(variable ?? ""))) noteLine(`runs ${taskRunner}`);
  }

  function noteLine(line) {
    try {
      appendFileSync(process.env.TAPEDECK_NOTES, `${line}\n`);
    } catch {
      // The run has ended.
    }
  }

  function noteOnce(line) {
    if (noted.has(line)) return;
    noted.add(line);
    noteLine(line);
  }

  /** Notes that this run asks a server on this machine without the proxy, or serves a port: a failed run names the others'. */
  function note(what, port) {
    // Bun's servers are none of `net`, so that it could not tell which ports are those of the run.
    if (!isBun) noteOnce(`${what} ${port}`);
  }

  const { listen } = net.Server.prototype;
  function noteServed() {
    note("serves", this.address()?.port);
  }
  net.Server.prototype.listen = function (...args) {
    // A server that tries busy ports listens more than once.
    if (!this.listeners("listening").includes(noteServed)) this.once("listening", noteServed);
    return listen.apply(this, args);
  };

  const isOwn = (host) =>
    host === "localhost" || host.endsWith(".localhost") || /^(?:127\.|0\.0\.0\.0$|::1$|::$|::ffff:127\.)/.test(host);

  const nameOf = (host) =>
    String(host ?? "localhost")
      .toLowerCase()
      .replace(/^\[|\]$/g, "");
  const placeOf = (host, port) => `${nameOf(host)}:${port}`;
  const isTouched = (name) => !untouched.some((entry) => entry === "*" || name === entry || name.endsWith(`.${entry}`));

  /** Whether connections to a place go through the proxy. Those on this machine that do not are noted. */
  function isTunnelled(host, port) {
    const name = nameOf(host);
    if (isOwn(name)) {
      const isRecorded = local.has(`localhost:${port}`);
      if (!isRecorded) note("asks", port);
      return isRecorded;
    }
    return isTouched(name) && !proxies.has(placeOf(host, port));
  }

  const portOf = (port, protocol) => port || (protocol === "https:" ? 443 : 80);
  /** Proxies of the program itself. They are asked directly: the proxy of the run takes no tunnel within a tunnel. */
  const proxies = new Set();
  subscribe("undici:request:create", ({ request: { path, origin: asked } }) => {
    if (path.startsWith("/")) return;
    const { hostname, port, protocol } = new URL(asked);
    proxies.add(placeOf(hostname, portOf(port, protocol)));
  });
  /** Places that fetch asks: its connections do not show that they are for HTTP, on whatever port. */
  const fetched = new Set();
  subscribe("undici:client:beforeConnect", ({ connectParams: { hostname, port, protocol } }) => {
    const asked = portOf(port, protocol);
    if (isTunnelled(hostname, asked)) fetched.add(placeOf(hostname, asked));
  });

  const ownId = `${process.pid}-${threadId}`;
  const processId = () => process.env.TAPEDECK_PROCESS || ownId;
  const connect = net.connect;
  const socketConnect = net.Socket.prototype.connect;
  const { addRequest } = http.Agent.prototype;

  /**
   * Whether MSW 3 or nock 15 is active. They mock sockets: connections are offered to them with their own place, and go to the
   * proxy once they pass on.
   */
  const areSocketsMocked = () =>
    globalThis.__MSW_INTERNAL_CONNECTION_CONTEXT !== undefined && http.Agent.prototype.addRequest !== addRequest;

  /** Connects a socket with the proxy for a place. The proxy answers nothing to the CONNECT, so that it can be used at once. */
  function tunnel(host, port, socket = new net.Socket()) {
    const name = net.isIPv6(host) ? `[${host}]` : host;
    socketConnect.call(socket, { host: proxy.hostname, port: Number(proxy.port) });
    socket.write(
      `CONNECT ${name}:${port} HTTP/1.1\r\nHost: ${name}:${port}\r\nx-tapedeck-silent: 1\r\nx-tapedeck-process: ${processId()}\r\n\r\n`,
    );
    return socket;
  }

  net.Socket.prototype.connect = function (...args) {
    const [options] = args.flat();
    if (!options?.[wantsTunnel] || this instanceof tls.TLSSocket) return socketConnect.apply(this, args);
    return tunnel(options.host ?? "localhost", options.port, this);
  };

  /** Returns the options and the listener of net.connect and tls.connect in any of their forms. */
  function read(args) {
    const [first, second, third] = args;
    const callback = args.findLast((argument) => typeof argument === "function");
    if (first !== null && typeof first === "object") return { options: { ...first }, callback };
    const rest = [second, third].find((argument) => argument !== null && typeof argument === "object") ?? {};
    const host = typeof second === "string" ? second : rest.host;
    return { options: { ...rest, port: first, ...(host === undefined ? {} : { host }) }, callback };
  }

  const trusted = (ca) => {
    certificate ??= readFileSync(certificateFile, "utf8");
    return [...(Array.isArray(ca) ? ca : [ca]), certificate];
  };

  /** Whether a client of proxies opened a connection to the one of this run. */
  const isToProxy = ({ remoteAddress, remotePort }) =>
    remoteAddress === proxy.hostname && remotePort === Number(proxy.port);

  const tlsConnect = tls.connect;
  tls.connect = function (...args) {
    const { options, callback } = read(args);
    const { host = "localhost", port, socket, path } = options;
    if (options.ca && socket && isToProxy(socket))
      return tlsConnect.call(this, { ...options, ca: trusted(options.ca) }, callback);
    const isWeb = Number(port) === 443 || options[wantsTunnel] === true || fetched.has(placeOf(host, port));
    if (path || !isWeb || !isTunnelled(host, port)) return tlsConnect.apply(this, args);
    // A socket that the caller brings may be a tunnel to another proxy; the host behind it is not known here.
    if (socket && !socket[wantsTunnel]) return tlsConnect.apply(this, args);
    if (areSocketsMocked() && !options[isOffered])
      return tlsConnect.call(this, { ...options, [wantsTunnel]: true, [isOffered]: true }, callback);
    const { lookup: _lookup, ...kept } = options;
    return tlsConnect.call(
      this,
      {
        ...kept,
        ...(options.ca ? { ca: trusted(options.ca) } : {}),
        servername: options.servername ?? (net.isIP(host) ? "" : host),
        socket: socket ?? tunnel(host, port),
      },
      callback,
    );
  };

  const isPlainWeb = ({ port, protocol, path }) => !path && (Number(port) === 80 || protocol === "http:");
  function netConnect(...args) {
    const { options, callback } = read(args);
    const { host = "localhost", port } = options;
    // What Ollama's clients use has a port of its own.
    const isWeb = isPlainWeb(options) || local.has(`localhost:${port}`) || fetched.has(placeOf(host, port));
    if (!isWeb || options.path || !isTunnelled(host, port)) return connect.apply(this, args);
    if (areSocketsMocked()) return connect.call(this, { ...options, [wantsTunnel]: true }, callback);
    const socket = tunnel(host, port);
    if (callback) socket.once("connect", callback);
    return socket;
  }
  net.connect = netConnect;
  net.createConnection = netConnect;

  const plainConnection = http.Agent.prototype.createConnection;
  http.Agent.prototype.createConnection = function (...args) {
    const { options } = read(args);
    const { host = "localhost", port, socketPath, path } = options;
    if (socketPath || path || !isTunnelled(host, port)) return plainConnection.apply(this, args);
    if (areSocketsMocked()) return plainConnection.call(this, { ...options, [wantsTunnel]: true });
    return tunnel(host, port);
  };
  const secureConnection = https.Agent.prototype.createConnection;
  https.Agent.prototype.createConnection = function (...args) {
    const [options, ...rest] = args;
    if (options === null || typeof options !== "object") return secureConnection.apply(this, args);
    return secureConnection.call(this, { ...options, [wantsTunnel]: true }, ...rest);
  };

  // It has a reference of its own to tls.connect.
  const http2Connect = http2.connect;
  http2.connect = function (...args) {
    const [authority, options, listener] = args;
    const given = typeof options === "function" ? {} : (options ?? {});
    const url = typeof authority === "string" ? new URL(authority) : authority;
    const isSecure = url.protocol === "https:";
    const port = url.port || (isSecure ? 443 : 80);
    const host = url.hostname || url.host;
    if (given.createConnection || !isTunnelled(host, port)) return http2Connect.apply(this, args);
    const createConnection = () =>
      isSecure ? tls.connect({ ALPNProtocols: ["h2"], ...given, host, port, [wantsTunnel]: true }) : tunnel(host, port);
    return http2Connect.call(
      this,
      authority,
      { ...given, createConnection },
      typeof options === "function" ? options : listener,
    );
  };
  if (!isBun) carryVariables(noteOnce);
  if (!isBun) carryMarks((host) => isOwn(nameOf(host)) || isTouched(nameOf(host)));
  syncBuiltinESMExports();
  if (isBun) installInBun();

  /** Bun's fetch and WebSocket use none of these modules, and take a proxy as an option. */
  function installInBun() {
    /** Calls with the option that leads to the proxy. Bun reads NO_PROXY at the call, which has the places of this machine. */
    function proxied(url, options, call) {
      const [, secure, host, port] =
        /^(?:http|ws)(s?):\/\/(?:[^/?#]*@)?(\[[^\]]+\]|[^/?#:]+)(?::(\d+))?/i.exec(url) ?? [];
      if (!host || options?.unix || !isTunnelled(host, port ?? (secure ? 443 : 80))) return call(options);
      const { ca } = options?.tls ?? {};
      const own = { proxy: `http://${encodeURIComponent(processId())}@${proxy.host}` };
      const { NO_PROXY = "", no_proxy = "" } = process.env;
      Object.assign(process.env, { NO_PROXY: "", no_proxy: "" });
      try {
        return call({ ...own, ...options, ...(ca && { tls: { ...options.tls, ca: trusted(ca) } }) });
      } finally {
        Object.assign(process.env, { NO_PROXY, no_proxy });
      }
    }
    globalThis.fetch = new Proxy(globalThis.fetch, {
      apply(fetch, self, [input, init]) {
        const url = input instanceof Request ? input.url : input;
        return proxied(url, init, (options) => Reflect.apply(fetch, self, [input, options]));
      },
    });
    globalThis.Worker = new Proxy(globalThis.Worker, {
      construct(target, [url, options], newTarget) {
        const preload = [__filename, options?.preload ?? []].flat();
        return Reflect.construct(target, [url, { ...options, preload }], newTarget);
      },
    });
    globalThis.WebSocket = new Proxy(globalThis.WebSocket, {
      construct(target, [url, given], newTarget) {
        const init = typeof given === "string" || Array.isArray(given) ? { protocols: given } : given;
        return proxied(url, init, (options) => Reflect.construct(target, [url, options], newTarget));
      },
    });
  }
}

require("./hold-ends.cjs");

if (origin && !globalThis[installed]) {
  globalThis[installed] = true;
  install();
}
