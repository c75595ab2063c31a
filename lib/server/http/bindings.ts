import type { Endpoint } from "#lib/contract/endpoint";
import { AppError } from "#lib/platform/errors";
import { decodeUrlPart } from "#lib/platform/parse-url";
import type { RequestContext } from "./context";
import { dispatch, type Verb } from "./dispatch";
import { allowsAnyOrigin, type ErrorFormat, emptyReply, type Reply, refuse, tapedeckErrors } from "./reply";
import { pathOf, type RequestView } from "./request";

/** An endpoint and the verb that answers it. */
export type Binding = { endpoint: Endpoint; verb: Verb<Endpoint>; pattern: RegExp };

/** The bindings of a group of paths, and how it words errors; by default as Tapedeck does. */
export type Bindings = {
  bindings: readonly Binding[];
  errorsAt?: (path: string, header: (name: string) => string | null) => ErrorFormat;
  /** Returns what answers a request to a path of no endpoint; undefined for a method that has none. */
  otherAt?: (request: { method: string; path: string; query: string }) => Binding | undefined;
};

/** Paths whose bindings are loaded with the first request for one of them. */
export type Group = {
  /** The paths of the group, with those of no endpoint. */
  paths: RegExp;
  load: () => Promise<Bindings>;
  /** Returns the declared path for another one that clients use. */
  declaredPath?: (path: string) => string;
  /** Paths that only programs get from this group. Browsers get a page. */
  pages?: RegExp;
  /** Whether the answers at a path take as much processor time as pages, and wait for their turn with them. */
  isQueued?: (path: string) => boolean;
};

/** Returns the pattern of an endpoint's path, with a named group for each parameter. */
function pathPattern({ path }: Pick<Endpoint, "path">): RegExp {
  return new RegExp(`^${path.replaceAll(/[.]/g, "\\$&").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}

/** Binds an endpoint to its verb. */
export function bind<E extends Endpoint>(endpoint: E, verb: Verb<E>): Binding {
  return { endpoint, verb: verb as unknown as Verb<Endpoint>, pattern: pathPattern(endpoint) };
}

/** Returns a `bind` for verbs that use more than the context of every request. */
export function bindWith<Context extends RequestContext>(extend: (context: RequestContext) => Context) {
  return <E extends Endpoint>(endpoint: E, verb: Verb<E, Context>): Binding =>
    bind(endpoint, (context, input) => verb(extend(context), input));
}

/** Returns the `Allow` header of a path with these endpoints. */
function allowOf(endpoints: readonly Pick<Endpoint, "method">[]): string {
  const methods = endpoints.map(({ method }) => method);
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
}

/** Names only methods whose responses a page of another origin may read. */
function preflightReply(endpoints: readonly Endpoint[], allow: string, requestHeaders: string | null): Reply {
  const open = endpoints.filter(allowsAnyOrigin);
  const { headers } = open.length > 0 ? openPreflight(requestHeaders, allowOf(open)) : { headers: {} };
  return emptyReply(204, { ...headers, Allow: allow });
}

/** Returns the reply to a preflight request from any origin. */
export function openPreflight(requestHeaders: string | null, allow = "GET, HEAD, POST, OPTIONS"): Reply {
  return emptyReply(204, {
    Allow: allow,
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": allow,
    "Access-Control-Allow-Headers":
      requestHeaders ?? "Authorization, Content-Type, Last-Event-ID, If-None-Match, If-Modified-Since",
    "Access-Control-Max-Age": "86400",
    Vary: "Access-Control-Request-Headers",
  });
}

/** Returns the reply to a method that a path does not support; `allow` lists those that it does. */
export function methodNotAllowed(method: string, allow: string, errors?: ErrorFormat): Reply {
  const message = `${method} is not supported on this path. Use ${allow}.`;
  return refuse(new AppError("method_not_allowed", message, { headers: { Allow: allow } }), errors);
}

/** Returns the group of a request target; undefined for those of pages and files. Next.js redirects doubled slashes. */
export function findGroup(groups: readonly Group[], target: string): Group | undefined {
  const path = pathOf(target);
  return path.includes("//") ? undefined : groups.find(({ paths }) => paths.test(path));
}

/** Returns the declared path of a target: without a slash at its end, and without the prefixes that clients add. */
function declaredPathOf({ declaredPath = (path) => path }: Group, target: string): string {
  return declaredPath(pathOf(target).replace(/(?<=.)\/$/, ""));
}

/** Returns the bindings of a path. A path without parameters takes precedence over a pattern. */
export function bindingsAt(bindings: readonly Binding[], path: string): readonly Binding[] {
  const matching = bindings.filter(({ pattern }) => pattern.test(path));
  const { endpoint: best } = matching.find(({ endpoint }) => endpoint.path === path) ?? matching[0] ?? {};
  return matching.filter(({ endpoint }) => endpoint.path === best?.path);
}

function paramsOf({ pattern }: Binding, path: string): Record<string, string> {
  const params = Object.entries(pattern.exec(path)?.groups ?? {});
  return Object.fromEntries(params.map(([name, value]) => [name, decodeURIComponent(value)]));
}

/** Returns the error for a path that cannot be decoded; undefined for others. */
export function undecodablePath(path: string): AppError | undefined {
  if (decodeUrlPart(path) !== undefined) return undefined;
  return new AppError("bad_request", "The path is not percent-encoded UTF-8.");
}

/** Answers a request for a path of a group: with a JSON 404 for an unknown path, and 405 for an unsupported method. */
export async function answer(group: Group, view: Omit<RequestView, "params">): Promise<Reply> {
  const path = declaredPathOf(group, view.target);
  const { bindings, errorsAt, otherAt } = await group.load();
  const errors = () => errorsAt?.(path, view.header) ?? tapedeckErrors;
  const undecodable = undecodablePath(path);
  if (undecodable) return refuse(undecodable, errors());
  const found = bindingsAt(bindings, path);
  const endpoints = found.map(({ endpoint }) => endpoint);
  const method = view.method === "HEAD" ? "GET" : view.method;
  const other = () => otherAt?.({ method, path, query: view.target.slice(pathOf(view.target).length + 1) });
  const binding =
    endpoints.length === 0 && method !== "OPTIONS" ? other() : found.find(({ endpoint }) => endpoint.method === method);
  if (binding) return dispatch(binding.endpoint, binding.verb, { ...view, params: paramsOf(binding, path) }, errors);
  // A browser reads the error of a path only if it may ask.
  if (endpoints.length === 0 && method === "OPTIONS")
    return openPreflight(view.header("access-control-request-headers"));
  if (endpoints.length === 0) return refuse(new AppError("not_found", errors().notFound), errors());
  const allow = allowOf(endpoints);
  if (method !== "OPTIONS") return methodNotAllowed(view.method, allow, errors());
  return preflightReply(endpoints, allow, view.header("access-control-request-headers"));
}

/** Refuses a request before it reaches its endpoint, in the format of its path. */
export async function refuseAt(
  group: Group | undefined,
  { target, header }: Pick<RequestView, "target" | "header">,
  error: AppError,
): Promise<Reply> {
  const { errorsAt } = (await group?.load()) ?? {};
  return refuse(error, group && errorsAt?.(declaredPathOf(group, target), header));
}
