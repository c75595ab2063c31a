import type { AroundHop } from "#lib/platform/outbound/index";
import { OutboundError } from "#lib/platform/outbound/index";
import { explainStop } from "./fetch-stop";
import type { FetchContext, FileFetch, FileRequest } from "./file-fetch";
import { judgeAnswer, mayBeFile, usableValidator } from "./judge-answer";
import { requireRobotsAllow } from "./read-robots";
import { type Attempt, withRetries } from "./retry";

const accept = "text/markdown, text/plain;q=0.9, */*;q=0.1";

function headersFor({ etag, lastModified }: FileRequest, userAgent: string): Record<string, string> {
  return {
    "user-agent": userAgent,
    accept,
    ...(etag === null ? {} : { "if-none-match": etag }),
    ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
  };
}

async function tryFile(request: FileRequest, context: FetchContext): Promise<Attempt<FileFetch>> {
  const { fetch, userAgent, hosts, clock, deadlineMs, signal } = context;
  let answeredCount = 0;
  const aroundHop: AroundHop = async (url, send) => {
    await requireRobotsAllow(url, context);
    const inTurn = async () => {
      const answer = await send();
      answeredCount += 1;
      return answer;
    };
    return hosts.run(url.host, inTurn, signal);
  };
  try {
    const headers = headersFor(request, userAgent);
    const bounds = { wantsBody: mayBeFile, deadlineMs, signal };
    const answer = await fetch(request.url, { headers, aroundHop, clock, ...bounds });
    return judgeAnswer(answer, request, clock.now());
  } catch (error) {
    const { isTransient, ...stop } = explainStop(error, context);
    const requestCount = error instanceof OutboundError ? error.requestCount : answeredCount;
    const measures = { httpStatus: null, responseTimeMs: null, requestCount };
    return { result: { kind: "failed", ...stop, ...measures }, isTransient, retryAfterMs: stop.retryAfterMs };
  }
}

/**
 * Fetches one file of a vendor, politely: conditionally, as robots.txt allows, a few at once per host, and again after
 * a wait where that may help. Every failure is told in what it returns; it throws for a fault of this program alone.
 */
export async function fetchFile(given: FileRequest, context: FetchContext): Promise<FileFetch> {
  const { etag, lastModified } = given;
  const request = { ...given, etag: usableValidator(etag), lastModified: usableValidator(lastModified) };
  let requestCount = 0;
  const fetched = await withRetries(context, async () => {
    const attempt = await tryFile(request, context);
    requestCount += attempt.result.requestCount;
    return attempt;
  });
  return { ...fetched, requestCount };
}
