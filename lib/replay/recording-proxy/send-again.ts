import { parseBoundedJson } from "#lib/platform/bounded-json";
import { systemClock } from "#lib/platform/clock";
import {
  capture,
  describeProviderError,
  objectOf,
  RecordError,
  recordLimits,
  upstreamUrl,
} from "#lib/replay/cassettes/index";
import { keyVariablesOf } from "#lib/replay/interception/index";
import type { Provider, TimedChunk } from "#lib/replay/providers/index";
import { addressOf } from "./call";
import type { TapeConfig } from "./config";
import { modelOf } from "./recorded-calls";
import type { Exchange } from "./tape";

export type Again = {
  config: Pick<TapeConfig, "addresses">;
  environment: Readonly<Record<string, string | undefined>>;
  /** Further headers, such as those of beta features: recordings have none of requests. */
  headers: Readonly<Record<string, string>>;
  /** Another model instead of the recorded one. */
  model?: string | undefined;
  signal: AbortSignal;
};

/** What came of it: a response, none that tells anything (`unanswered`), or one that is none of its protocol (`unreadable`). */
export type Repeated =
  | { kind: "answered"; status: number; headers: Record<string, string>; chunks: TimedChunk[]; error: string | null }
  | { kind: "unanswered" | "unreadable"; reason: string };

/** Statuses that say something of the key, its limits or the moment, and not of the request. */
const passing = (status: number) => status === 401 || status === 403 || status === 429 || status >= 500;

const hostOf = (baseUrl: string) => upstreamUrl(baseUrl, { path: "/", query: "" }).host;

/**
 * Returns the base URL and key of a provider: those that its SDKs would use. A host that has a key of its own, such as
 * OPENROUTER_API_KEY, is asked itself.
 */
function settingsOf({ upstream }: Provider, host: string | undefined, environment: Again["environment"]) {
  const own = (upstream.baseUrlVariable === null ? undefined : environment[upstream.baseUrlVariable]) || undefined;
  const keyOf = (names: readonly string[]) => names.map((name) => environment[name]).find(Boolean);
  const hostKey = host === undefined || host === hostOf(upstream.baseUrl) ? undefined : keyOf(keyVariablesOf(host));
  if (hostKey !== undefined) return { baseUrl: `https://${host}`, isOwn: true, key: hostKey };
  return { baseUrl: own ?? upstream.baseUrl, isOwn: own !== undefined, key: keyOf(upstream.keyVariables) };
}

function adviceFor(server: string, { upstream: { baseUrlVariable } }: Provider): string {
  const advice = [
    ...keyVariablesOf(server).map((name) => `set ${name}`),
    ...(baseUrlVariable === null ? [] : [`name that server's URL in ${baseUrlVariable}`]),
  ];
  return advice.length > 0 ? `: ${advice.join(", or ")}` : "";
}

/**
 * Returns why a recorded request is not sent again; null if it can be. `recorded` is the host to which it was sent, and
 * what that responded. A key goes only to its own provider, or to the server that the environment names: a tape could name any.
 */
export function whyNotAgain(
  { provider, request }: Exchange,
  recorded: { host: string; status: number },
  again: Again,
): string | null {
  const { method, host, body } = request;
  const { upstream } = provider;
  if (provider.operationOf(request) !== "generate" || method !== "POST" || !objectOf(body))
    return "it does not ask a model of a known protocol for an answer";
  if (typeof objectOf(body)?.previous_response_id === "string")
    return "it continues an answer that only its provider has";
  if (passing(recorded.status)) return `its recorded answer is the error ${recorded.status}, which can have passed`;
  if (again.model !== undefined && modelOf(provider, request) === null) return "it names no model";
  const { baseUrl, isOwn, key } = settingsOf(provider, host, again.environment);
  const known = [baseUrl, upstream.baseUrl].map(hostOf);
  const server = host ?? (isOwn ? undefined : recorded.host);
  if (server !== undefined && !known.includes(server))
    return `it was recorded from ${server}, to which no key of this environment belongs${adviceFor(server, provider)}`;
  if (key !== undefined || isOwn || upstream.keyVariables.length === 0) return null;
  return `${upstream.keyVariables.join(" or ")} is not set`;
}

/** Returns a request with another model, in its body or its path. */
function withModel({ provider, request }: Exchange, model: string | undefined) {
  const body = objectOf(request.body) ?? {};
  const recorded = modelOf(provider, request);
  if (model === undefined || recorded === null) return { path: request.path, body };
  if (typeof body.model === "string") return { path: request.path, body: { ...body, model } };
  const nameInPath = /(?<=\/(?:models?|deployments)\/)[^/]+?(?=(?::[A-Za-z]+)?(?:\/|$))/;
  return { path: request.path.replace(nameInPath, encodeURIComponent(model)), body };
}

/** Returns an error's first sentence: what it advises is for another command. */
const factOf = ({ message }: Error) => message.split(/\. (?=[A-Z])/)[0] ?? message;

function describeError(status: number, chunks: readonly TimedChunk[]): string {
  const text = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString("utf8");
  try {
    return `${status} ${describeProviderError(parseBoundedJson(text))}`.trim();
  } catch {
    return String(status);
  }
}

/** Sends a recorded request that can be to its provider again. Throws RecordError if it is interrupted. */
export async function sendAgain(exchange: Exchange, again: Again): Promise<Repeated> {
  const { provider, request } = exchange;
  const { path, body } = withModel(exchange, again.model);
  const { baseUrl, key } = settingsOf(provider, request.host, again.environment);
  const address = again.config.addresses[hostOf(baseUrl)];
  const upstream = { name: provider.name, baseUrl, providers: [provider], address };
  const place = { path, query: request.query, body };
  const { url, host } = addressOf({ upstream, ...place });
  const headers = { host, ...provider.upstream.headers(key), ...again.headers };
  try {
    const input = { provider, request: { url, headers, body }, signal: again.signal, limits: recordLimits };
    const { status, headers: received, chunks, problem } = await capture(systemClock, input, {});
    const error = status < 300 ? null : describeError(status, chunks);
    if (error !== null && passing(status)) return { kind: "unanswered", reason: `${url.host} responded with ${error}` };
    if (error === null && problem !== undefined) return { kind: "unanswered", reason: factOf(problem) };
    return { kind: "answered", status, headers: received, chunks, error };
  } catch (error) {
    if (!(error instanceof RecordError)) throw error;
    if (error.kind === "interrupted") throw error;
    return { kind: error.kind === "answer" ? "unreadable" : "unanswered", reason: factOf(error) };
  }
}
