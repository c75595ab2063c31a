import { type AroundHop, Connections, type OutboundAnswer, OutboundError } from "#lib/platform/outbound/index";
import { parseRetryAfter } from "#lib/platform/retry-after";
import { decodeText, isBinary, isDataType, isHtml, isMislabelledMarkdown, isTextType } from "./detect-content";
import type { FailedFetch, FetchContext, FileFetch, FileRequest } from "./fetch-context";
import { explainFailure, type FetchFailure } from "./fetch-failure";
import { hostOf } from "./host-gate";
import { type Attempt, withRetries } from "./retry";
import { requireRobotsAllow } from "./robots";

/** Returns a validator if it is safe to send back: printable ASCII of bounded length. */
function usableValidator(value: string | null | undefined): string | null {
  return value && /^[\x20-\x7e]{1,1000}$/.test(value) ? value : null;
}

/** Whether the body of a response with this status may be the file. */
function mayBeFile(status: number): boolean {
  return status === 200 || status === 203;
}

function failureOfStatus(status: number): FetchFailure {
  if (status === 404 || status === 410 || status === 429) return `http_${status}`;
  if (status >= 500) return "http_5xx";
  return status >= 400 ? "http_4xx" : "http_unexpected";
}

type Problem = { failure: FetchFailure; detail: string };

/** Returns why a body is not the file, or undefined if it may be. */
function findProblem(
  body: Uint8Array,
  text: string,
  { contentType, isData = false }: { contentType: string | undefined; isData?: boolean | undefined },
): Problem | undefined {
  const type = contentType === undefined ? "no content type" : `content type ${contentType.slice(0, 100)}`;
  if (body.byteLength === 0) return { failure: "empty", detail: "the response is empty" };
  const isText =
    isTextType(contentType) || (isData ? isDataType(contentType) : isMislabelledMarkdown(body, text, contentType));
  if (!isText) return { failure: "not_text", detail: `the response has ${type}` };
  if (isBinary(body, text)) return { failure: "not_text", detail: `the response is binary, with ${type}` };
  if (text.trim() === "") return { failure: "empty", detail: "the response contains only white space" };
  return isHtml(text) ? { failure: "html", detail: `the response is an HTML page, with ${type}` } : undefined;
}

function interpretBody(
  { status, headers, body, requestCount, ...answer }: OutboundAnswer,
  { isData }: FileRequest,
): FileFetch {
  const responseTimeMs = Math.round(answer.responseTimeMs);
  const contentType = headers["content-type"];
  const text = decodeText(body, contentType);
  const problem = findProblem(body, text, { contentType, isData });
  const measures = { httpStatus: status, responseTimeMs, requestCount };
  if (problem) return { kind: "failed", ...problem, ...measures, retryAfterMs: null };
  const etag = usableValidator(headers.etag);
  const lastModified = usableValidator(headers["last-modified"]);
  return { kind: "content", text, byteSize: body.byteLength, etag, lastModified, ...measures };
}

function interpretStatus(
  { status, headers, url, requestCount, responseTimeMs }: OutboundAnswer,
  now: Date,
): FailedFetch {
  return {
    kind: "failed",
    failure: failureOfStatus(status),
    detail: `${new URL(url).host} answered ${status}`,
    httpStatus: status,
    responseTimeMs: Math.round(responseTimeMs),
    requestCount,
    retryAfterMs: parseRetryAfter(headers["retry-after"], now),
  };
}

/** Returns what a response means for the requested file, and whether a retry may help. */
function interpretResponse(answer: OutboundAnswer, request: FileRequest, now: Date): Attempt<FileFetch> {
  const final = (result: FileFetch) => ({ result, isTransient: false, retryAfterMs: null });
  const { status, headers, requestCount } = answer;
  if (mayBeFile(status)) return final(interpretBody(answer, request));
  const isConditional = request.etag !== null || request.lastModified !== null;
  if (status === 304 && isConditional) {
    const etag = usableValidator(headers.etag) ?? request.etag;
    const lastModified = usableValidator(headers["last-modified"]) ?? request.lastModified;
    const responseTimeMs = Math.round(answer.responseTimeMs);
    return final({ kind: "not_modified", httpStatus: 304, etag, lastModified, responseTimeMs, requestCount });
  }
  const result = interpretStatus(answer, now);
  return { result, isTransient: status === 429 || status >= 500, retryAfterMs: result.retryAfterMs };
}

const accept = "text/markdown, text/plain;q=0.9, */*;q=0.1";
const acceptData = "application/json, application/yaml;q=0.9, */*;q=0.1";

function headersFor({ etag, lastModified, isData }: FileRequest, userAgent: string): Record<string, string> {
  return {
    "user-agent": userAgent,
    accept: isData ? acceptData : accept,
    ...(etag === null ? {} : { "if-none-match": etag }),
    ...(lastModified === null ? {} : { "if-modified-since": lastModified }),
  };
}

async function tryFile(request: FileRequest, context: FetchContext): Promise<Attempt<FileFetch>> {
  const { fetch, userAgent, hosts, clock, deadlineMs, signal } = context;
  let answeredCount = 0;
  const connections = new Connections();
  const aroundHop: AroundHop = async (url, send) => {
    await requireRobotsAllow(url, context, connections);
    const countedSend = async () => {
      const answer = await send();
      answeredCount += 1;
      return answer;
    };
    return hosts.run(hostOf(url), countedSend, { signal });
  };
  try {
    const headers = headersFor(request, userAgent);
    const bounds = { wantsBody: mayBeFile, deadlineMs, signal };
    const answer = await fetch(request.url, { headers, aroundHop, clock, connections, ...bounds });
    return interpretResponse(answer, request, clock.now());
  } catch (error) {
    const { isTransient, ...explained } = explainFailure(error, context);
    const requestCount = error instanceof OutboundError ? error.requestCount : answeredCount;
    const measures = { httpStatus: null, responseTimeMs: null, requestCount };
    const { retryAfterMs } = explained;
    return { result: { kind: "failed", ...explained, ...measures }, isTransient, retryAfterMs };
  } finally {
    await connections.close();
  }
}

/**
 * Fetches one file of a vendor: conditionally, as robots.txt allows, with bounded concurrency per host, and with retries
 * of transient failures. Every failure is part of the result; only a bug in this program throws.
 */
export async function fetchFile(given: FileRequest, context: FetchContext): Promise<FileFetch> {
  const { etag, lastModified } = given;
  const request: FileRequest = { ...given, etag: usableValidator(etag), lastModified: usableValidator(lastModified) };
  let requestCount = 0;
  const fetched = await withRetries(context, async () => {
    const attempt = await tryFile(request, context);
    requestCount += attempt.result.requestCount;
    return attempt;
  });
  return { ...fetched, requestCount };
}
