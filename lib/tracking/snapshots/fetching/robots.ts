import type { AroundHop, OutboundAnswer } from "#lib/platform/outbound/index";
import { parseRetryAfter } from "#lib/platform/retry-after";
import type { FetchContext } from "./fetch-context";
import { explainFailure, FetchBlockedError, type FetchFailure } from "./fetch-failure";
import { type Attempt, withRetries } from "./retry";
import type { RobotsRules } from "./robots-cache";

/** A path pattern of a robots.txt: `*` matches anything, a final `$` the end of the path. */
type Rule = { pattern: string; isAllowed: boolean };

/** Normalizes percent-encoding as RFC 9309 (2.2.2) compares paths: unreserved characters plain, hex digits in capitals. */
function normalize(text: string): string {
  return encodeURI(text)
    .replaceAll("%25", "%")
    .replace(/%[0-9a-f]{2}/gi, (code) => {
      const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[a-z0-9._~-]/i.test(character) ? character : code.toUpperCase();
    });
}

/** Searches for each piece between asterisks once, from left to right, so the time is bounded by pattern and path. */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith("$");
  const [start = "", ...pieces] = (isAnchored ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(start)) return false;
  const end = isAnchored ? pieces.pop() : undefined;
  let at = start.length;
  for (const piece of pieces) {
    const found = path.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  if (!isAnchored) return true;
  return end === undefined ? at === path.length : path.length - end.length >= at && path.endsWith(end);
}

/** Yields the key and value of each record, without comments. */
function* recordsOf(text: string): Generator<[key: string, value: string]> {
  for (const line of text.split(/\r\n|\r|\n/)) {
    const record = line.split("#", 1)[0] ?? "";
    const colonAt = record.indexOf(":");
    if (colonAt > 0) yield [record.slice(0, colonAt).trim().toLowerCase(), record.slice(colonAt + 1).trim()];
  }
}

/** Returns the rules for a robot: those of all groups that name it, otherwise those of all `*` groups. */
function rulesFor(token: string, text: string): Rule[] {
  const own: Rule[] = [];
  const shared: Rule[] = [];
  let isNamed = false;
  let group = { isOwn: false, isShared: false, hasRules: true };
  for (const [key, value] of recordsOf(text)) {
    if (key === "user-agent") {
      if (group.hasRules) group = { isOwn: false, isShared: false, hasRules: false };
      if (value === "*") group.isShared = true;
      if (value.split("/", 1)[0]?.trim().toLowerCase() === token.toLowerCase()) group.isOwn = isNamed = true;
    } else if (key === "allow" || key === "disallow") {
      group.hasRules = true;
      const rule = { pattern: normalize(value), isAllowed: key === "allow" };
      if (group.isOwn) own.push(rule);
      if (group.isShared) shared.push(rule);
    }
  }
  return isNamed ? own : shared;
}

/**
 * Parses a robots.txt for one robot by RFC 9309 and returns whether a URL of its origin may be fetched. The longest
 * matching rule decides, the allowing one on a tie; without a match the URL is allowed. Time and memory are bounded by
 * the size of the file.
 */
export function parseRobots(text: string, token: string): (url: URL) => boolean {
  const rules = rulesFor(token, text);
  return ({ pathname, search }) => {
    const path = normalize(`${pathname}${search}`);
    let best: Rule = { pattern: "", isAllowed: true };
    for (const rule of rules) {
      const isStronger = rule.pattern.length > best.pattern.length;
      const isTie = rule.pattern.length === best.pattern.length && rule.isAllowed;
      if ((isStronger || isTie) && matches(rule.pattern, path)) best = rule;
    }
    return best.isAllowed;
  };
}

/** The product token by which robots.txt files address this service. */
export const robotsToken = "TapedeckBot";

/** Bytes of a robots.txt that are read; the rest is ignored, as RFC 9309 (2.5) allows beyond 500 KiB. */
const maxRobotsByteSize = 512 * 1024;

/** Failures that the file itself would have too: they are reported as they are, not as `robots_unreachable`. */
const sharedFailures: readonly FetchFailure[] = [
  ...(["dns_failed", "connect_failed", "tls_failed", "refused_address", "invalid_url"] as const),
  ...(["aborted", "deadline"] as const),
];

const everythingAllowed: RobotsRules = { kind: "known", isAllowed: () => true };

const isSuccess = (status: number) => status >= 200 && status < 300;

function parse(body: Uint8Array): RobotsRules {
  return { kind: "known", isAllowed: parseRobots(new TextDecoder().decode(body), robotsToken) };
}

/** Per RFC 9309 (2.3.1), 4xx means no rules and 5xx unknown rules. 429 counts as unknown: the server is only busy. */
function interpretResponse(url: string, { status, headers, body }: OutboundAnswer, now: Date): Attempt<RobotsRules> {
  const known = (result: RobotsRules) => ({ result, isTransient: false, retryAfterMs: null });
  if (isSuccess(status)) return known(parse(body));
  if (status < 500 && status !== 429) return known(everythingAllowed);
  const retryAfterMs = parseRetryAfter(headers["retry-after"], now);
  const detail = `${new URL(url).host} answered ${status} for robots.txt`;
  return {
    result: { kind: "unknown", failure: "robots_unreachable", detail, retryAfterMs },
    isTransient: true,
    retryAfterMs,
  };
}

async function tryRobots(url: string, context: FetchContext): Promise<Attempt<RobotsRules>> {
  const { fetch, userAgent, hosts, clock, deadlineMs, signal } = context;
  const aroundHop: AroundHop = (hop, send) => hosts.run(hop.host, send, { signal, isUnpaced: true });
  try {
    const answer = await fetch(url, {
      headers: { "user-agent": userAgent, accept: "text/plain, */*;q=0.1" },
      maxBodyByteSize: maxRobotsByteSize,
      overflow: "truncate",
      wantsBody: isSuccess,
      aroundHop,
      deadlineMs,
      clock,
      signal,
    });
    return interpretResponse(url, answer, clock.now());
  } catch (error) {
    const { failure, detail, isTransient } = explainFailure(error, context);
    // RFC 9309 (2.3.1.2) treats a file behind too many redirects as missing.
    const isMissing = failure === "too_many_redirects" || failure === "redirect_loop";
    if (isMissing) return { result: everythingAllowed, isTransient: false, retryAfterMs: null };
    const rules: RobotsRules = {
      kind: "unknown",
      failure: sharedFailures.includes(failure) ? failure : "robots_unreachable",
      detail: `robots.txt: ${detail}`,
      retryAfterMs: null,
    };
    return { result: rules, isTransient, retryAfterMs: null };
  }
}

/** Throws FetchBlockedError unless the origin's robots.txt allows the URL. */
export async function requireRobotsAllow(url: URL, context: FetchContext): Promise<void> {
  const robotsUrl = `${url.origin}/robots.txt`;
  const rules = await context.robots.getRules(url.origin, () =>
    withRetries(context, () => tryRobots(robotsUrl, context)),
  );
  if (rules.kind === "unknown") throw new FetchBlockedError(rules.failure, rules.detail, rules.retryAfterMs);
  if (!rules.isAllowed(url)) {
    throw new FetchBlockedError("robots_disallowed", `robots.txt of ${url.host} disallows the URL`);
  }
}
