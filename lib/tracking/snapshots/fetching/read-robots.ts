import type { AroundHop, OutboundAnswer } from "#lib/platform/outbound/index";
import { parseRetryAfter } from "#lib/platform/retry-after";
import { explainStop, FetchStop } from "./fetch-stop";
import type { FetchContext, FetchFailure } from "./file-fetch";
import { parseRobots } from "./parse-robots";
import { type Attempt, withRetries } from "./retry";
import type { RobotsRules } from "./robots-cache";

/** The name under which robots.txt files address this service. */
export const robotsToken = "TapedeckBot";

/** What is read of a robots.txt; the rest is ignored, as RFC 9309 (2.5) allows from 500 KiB on. */
const maxRobotsByteSize = 512 * 1024;

/** Failures that say the same of the file as of robots.txt: the operator learns the real one. */
const failuresOfOrigin: readonly FetchFailure[] = [
  ...(["dns_failed", "connect_failed", "tls_failed", "refused_address", "invalid_url"] as const),
  ...(["aborted", "deadline"] as const),
];

const everythingAllowed: RobotsRules = { kind: "known", isAllowed: () => true };

const isSuccess = (status: number) => status >= 200 && status < 300;

function parse(body: Uint8Array): RobotsRules {
  return { kind: "known", isAllowed: parseRobots(new TextDecoder().decode(body), robotsToken) };
}

/** RFC 9309 (2.3.1): 4xx means that there are no rules, 5xx that nobody knows them; so does 429, which is no refusal. */
function judge(url: string, { status, headers, body }: OutboundAnswer, now: Date): Attempt<RobotsRules> {
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
  const inTurn: AroundHop = (hop, send) => hosts.run(hop.host, send, signal);
  try {
    const answer = await fetch(url, {
      headers: { "user-agent": userAgent, accept: "text/plain, */*;q=0.1" },
      maxBodyByteSize: maxRobotsByteSize,
      overflow: "truncate",
      wantsBody: isSuccess,
      aroundHop: inTurn,
      deadlineMs,
      clock,
      signal,
    });
    return judge(url, answer, clock.now());
  } catch (error) {
    const { failure, detail, isTransient } = explainStop(error, context);
    // More redirects than anybody follows: RFC 9309 (2.3.1.2) takes the file for missing.
    const isMissing = failure === "too_many_redirects" || failure === "redirect_loop";
    if (isMissing) return { result: everythingAllowed, isTransient: false, retryAfterMs: null };
    const told = failuresOfOrigin.includes(failure) ? failure : "robots_unreachable";
    const result: RobotsRules = { kind: "unknown", failure: told, detail: `robots.txt: ${detail}`, retryAfterMs: null };
    return { result, isTransient, retryAfterMs: null };
  }
}

/** Lets a URL pass that its origin's robots.txt allows. Throws FetchStop. */
export async function requireRobotsAllow(url: URL, context: FetchContext): Promise<void> {
  const robotsUrl = `${url.origin}/robots.txt`;
  const rules = await context.robots.rulesOf(url.origin, () =>
    withRetries(context, () => tryRobots(robotsUrl, context)),
  );
  if (rules.kind === "unknown") throw new FetchStop(rules.failure, rules.detail, rules.retryAfterMs);
  if (!rules.isAllowed(url)) throw new FetchStop("robots_disallowed", `robots.txt of ${url.host} disallows it`);
}
