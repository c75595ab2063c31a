import type { AroundHop, Connections, OutboundAnswer } from "#lib/platform/outbound/index";
import { parseRetryAfter } from "#lib/platform/retry-after";
import type { FetchContext } from "./fetch-context";
import { explainFailure, FetchBlockedError, type FetchFailure } from "./fetch-failure";
import { hostOf } from "./host-gate";
import { type Attempt, withRetries } from "./retry";
import type { RobotsRules } from "./robots-cache";
import { isAllowedBy, parseRobots } from "./robots-rules";

/** The product token by which robots.txt files address this service. */
export const robotsToken = "TapedeckBot";

/** Bytes of a robots.txt that are read; the rest is ignored, as RFC 9309 (2.5) allows beyond 500 KiB. */
const maxRobotsByteSize = 512 * 1024;

/** Failures that the file itself would have too: they are reported as they are, not as `robots_unreachable`. */
const sharedFailures: readonly FetchFailure[] = [
  ...(["dns_failed", "connect_failed", "tls_failed", "refused_address", "invalid_url"] as const),
  ...(["aborted", "deadline"] as const),
];

const everythingAllowed: RobotsRules = { kind: "known", rules: [] };

const isSuccess = (status: number) => status >= 200 && status < 300;

function parse(body: Uint8Array): RobotsRules {
  return { kind: "known", rules: parseRobots(new TextDecoder().decode(body), robotsToken) };
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

async function tryRobots(url: string, context: FetchContext, connections: Connections): Promise<Attempt<RobotsRules>> {
  const { fetch, userAgent, hosts, clock, deadlineMs, signal } = context;
  const aroundHop: AroundHop = (hop, send) => hosts.run(hostOf(hop), send, { signal, isUnpaced: true });
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
      connections,
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
export async function requireRobotsAllow(url: URL, context: FetchContext, connections: Connections): Promise<void> {
  const robotsUrl = `${url.origin}/robots.txt`;
  const rules = await context.robots.getRules(url.origin, () =>
    withRetries(context, () => tryRobots(robotsUrl, context, connections)),
  );
  if (rules.kind === "unknown") throw new FetchBlockedError(rules.failure, rules.detail, rules.retryAfterMs);
  if (!isAllowedBy(rules.rules, url)) {
    throw new FetchBlockedError("robots_disallowed", `robots.txt of ${url.host} disallows the URL`);
  }
}
