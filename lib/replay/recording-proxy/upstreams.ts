import type { IncomingHttpHeaders } from "node:http";
import { upstreamUrl } from "#lib/replay/cassettes/index";
import { findModelHost, keyVariablesOf, localName } from "#lib/replay/interception/index";
import { http, type Provider, providers, providersOf, requireProvider } from "#lib/replay/providers/index";
import { TapeError } from "./tape-error";

/** A server that requests are recorded from. */
export type Upstream = {
  /** First segment of the path at the proxy. */
  name: string;
  baseUrl: string;
  /** Protocols that it may speak; the path says which. */
  providers: readonly Provider[];
  /** Whether `tapedeck.config.json` names it. */
  isConfigured?: true;
  /** Host of requests that were intercepted on their way to it. */
  host?: string;
  /** URL of the server that is asked in its place. */
  address?: string | undefined;
};

/** An upstream in `tapedeck.config.json`. */
export type UpstreamSetting = { url: string; provider: string };

/** Names at the proxy, each with the protocols behind it, and the last part of its base URL that SDKs expect. */
const builtIn = [
  { name: "anthropic", providerNames: ["anthropic"], ending: "" },
  { name: "openai", providerNames: ["openai-chat", "openai-responses"], ending: "/v1" },
  { name: "gemini", providerNames: ["gemini"], ending: "" },
  { name: "ollama", providerNames: ["ollama"], ending: "" },
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the URL of the server that is asked in place of a host; undefined if none is. */
export function addressAt(addresses: Readonly<Record<string, string>>, host: string): string | undefined {
  const place = localName(host);
  return Object.entries(addresses).find(([name]) => localName(name) === place)?.[1];
}

/** Returns the upstreams: those of the providers, at the base URLs that SDKs would use, and the configured ones. */
export function upstreamsOf(
  settings: Readonly<Record<string, UpstreamSetting>>,
  environment: Environment,
  addresses: Readonly<Record<string, string>> = {},
): Upstream[] {
  const addressOf = (baseUrl: string) => addressAt(addresses, upstreamUrl(baseUrl, { path: "/", query: "" }).host);
  const known = builtIn.map(({ name, providerNames }): Upstream => {
    const { baseUrl, baseUrlVariable } = requireProvider(providerNames[0]).upstream;
    const own = baseUrlVariable && environment[baseUrlVariable];
    const used = own || baseUrl;
    return { name, baseUrl: used, providers: providerNames.map(requireProvider), address: addressOf(used) };
  });
  const added = Object.entries(settings).map(
    ([name, { url, provider }]): Upstream => ({
      name,
      baseUrl: url,
      providers: [requireProvider(provider)],
      address: addressOf(url),
      isConfigured: true,
    }),
  );
  return [...known.filter(({ name }) => !(name in settings)), ...added];
}

/** Returns the base URL for an SDK, given the proxy's own URL, which may end with that of a test. */
export function baseUrlAt(proxyUrl: string, name: string): string {
  const ending = builtIn.find((upstream) => upstream.name === name)?.ending ?? "";
  return `${proxyUrl}/${name}${ending}`;
}

/** Returns the variables that make SDKs send their requests to the proxy. */
export function clientEnvironment(proxyUrl: string): Record<string, string> {
  const openai = baseUrlAt(proxyUrl, "openai");
  return {
    ANTHROPIC_BASE_URL: baseUrlAt(proxyUrl, "anthropic"),
    OPENAI_BASE_URL: openai,
    OPENAI_API_BASE: openai,
    GOOGLE_GEMINI_BASE_URL: baseUrlAt(proxyUrl, "gemini"),
    OLLAMA_HOST: baseUrlAt(proxyUrl, "ollama"),
  };
}

/** Throws TapeError if a variable with the base URL of a provider is none. */
export function checkBaseUrls(environment: Environment): void {
  for (const { upstream } of providers) {
    const { baseUrlVariable } = upstream;
    const value = baseUrlVariable && environment[baseUrlVariable];
    if (!value) continue;
    try {
      upstreamUrl(value, { path: "/", query: "" });
    } catch {
      throw new TapeError(`${baseUrlVariable} is "${value}", which is not an http(s) URL`);
    }
  }
}

/** What SDKs get as the key of a provider without one. */
export const placeholder = "replayed-by-tapedeck";

/** Returns headers without placeholders for keys. */
export function withoutPlaceholder(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => !String(value).includes(placeholder)));
}

/** Returns why a provider may have refused the key of a request, and what to do. */
export function describeRefusal(headers: IncomingHttpHeaders, { upstream }: Provider, host = ""): string {
  const isPlaceholder = Object.values(headers).some((value) => String(value).includes(placeholder));
  const ofHost = keyVariablesOf(host);
  const names = ofHost.length > 0 ? ofHost : upstream.keyVariables;
  return isPlaceholder ? `${names.join(" or ")} is not set` : "check the API key";
}

/**
 * Returns the variables that contain the API keys of providers without one, each with a value that no provider accepts.
 * Of a provider with a key in one variable, the others stay unset: an SDK may prefer them. Keys of further hosts are set only if
 * they are given: an app may choose the provider that has a key.
 */
export function placeholderKeys(environment: Environment, hosts: readonly string[] = []): Record<string, string> {
  const missing = [...providers.map(({ upstream }) => upstream.keyVariables), ...hosts.map(keyVariablesOf)].filter(
    (names) => names.every((name) => !environment[name]),
  );
  return Object.fromEntries(missing.flat().map((name) => [name, placeholder]));
}

/** Returns the path of a request in its protocol: `/v1` may be at the end of the base URL instead. */
export function protocolPath({ baseUrl }: Upstream, path: string): string {
  const [, version] = /\/(v1|v1beta|api)\/*$/.exec(baseUrl) ?? [];
  return version === undefined || path.startsWith(`/${version}/`) ? path : `/${version}${path}`;
}

/** Returns the protocol of a request to an upstream. A path that no protocol knows is matched and stored as it is. */
export function providerAt(upstream: Upstream, request: { method: string; path: string }): Provider {
  const found = providersOf(request).find(({ provider }) => upstream.providers.includes(provider))?.provider;
  return found ?? (upstream.providers[0] as Provider);
}

/** Whether the base URL of a request's client seems to lack `/v1`. */
export function lacksVersion(upstream: Upstream, { method, path }: { method: string; path: string }): boolean {
  const [isKnown, isKnownBelow] = [path, `/v1${path}`].map((each) =>
    providersOf({ method, path: each }).some(({ provider }) => upstream.providers.includes(provider)),
  );
  return !isKnown && isKnownBelow === true;
}

/** Where a request to a URL of a provider arrives at the proxy. */
export type PlaceAtProxy = { upstream: Upstream; path: string; query: string };

function placeBelow(upstream: Upstream, url: URL): PlaceAtProxy | undefined {
  const base = upstreamUrl(upstream.baseUrl, { path: "/", query: "" });
  const prefix = base.pathname.replace(/\/+$/, "");
  if (localName(base.host) !== localName(url.host) || !`${url.pathname}/`.startsWith(`${prefix}/`)) return undefined;
  return { upstream, path: protocolPath(upstream, url.pathname.slice(prefix.length)), query: url.search.slice(1) };
}

/**
 * Returns where a request that another tool recorded would arrive at the proxy: at the upstream with its address, or as it was
 * sent to its host, where it is intercepted. Returns undefined if it is none over HTTP.
 */
export function findPlace(
  upstreams: readonly Upstream[],
  hosts: readonly string[],
  { method, url }: { method: string; url: URL },
): PlaceAtProxy | undefined {
  const isKnown = ({ upstream, path }: PlaceAtProxy) =>
    providersOf({ method, path }).some(({ provider }) => upstream.providers.includes(provider));
  const below = upstreams
    .flatMap((upstream) => placeBelow(upstream, url) ?? [])
    .sort((a, b) => b.upstream.baseUrl.length - a.upstream.baseUrl.length);
  const speaks = findModelHost(url.host, hosts)?.providers;
  const found = below.find(isKnown) ?? (speaks ? undefined : below[0]);
  if (found || !/^https?:$/.test(url.protocol)) return found;
  const { host, origin: baseUrl } = url;
  const upstream = { name: host, baseUrl, host, providers: speaks ?? [http, ...providers] };
  return { upstream, path: url.pathname, query: url.search.slice(1) };
}
