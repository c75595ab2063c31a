import type { OutboundAnswer } from "#lib/platform/outbound/index";
import { parseRetryAfter } from "#lib/platform/retry-after";
import { decodeText } from "./decode-text";
import type { FailedFetch, FetchFailure, FileFetch, FileRequest } from "./file-fetch";
import { isHtml } from "./is-html";
import { isBinary, isTextType } from "./is-text";
import type { Attempt } from "./retry";

/** Validators that are sent back to a vendor: printable and short, whatever a server made of them. */
export function usableValidator(value: string | null | undefined): string | null {
  return value && /^[\x20-\x7e]{1,1000}$/.test(value) ? value : null;
}

/** Whether the body of an answer with this status may be the file. */
export function mayBeFile(status: number): boolean {
  return status === 200 || status === 203;
}

function failureOfStatus(status: number): FetchFailure {
  if (status === 404 || status === 410 || status === 429) return `http_${status}`;
  if (status >= 500) return "http_5xx";
  return status >= 400 ? "http_4xx" : "http_unexpected";
}

type Problem = { failure: FetchFailure; detail: string };

/** Why a body is not the file; undefined where nothing speaks against it. */
function problemOf(body: Uint8Array, text: string, contentType: string | undefined): Problem | undefined {
  const said = contentType === undefined ? "no content type" : `the content type ${contentType.slice(0, 100)}`;
  if (body.byteLength === 0) return { failure: "empty", detail: "the answer is empty" };
  if (!isTextType(contentType)) return { failure: "not_text", detail: `the answer has ${said}` };
  if (isBinary(body, text)) return { failure: "not_text", detail: `the answer is binary, with ${said}` };
  if (text.trim() === "") return { failure: "empty", detail: "the answer holds white space alone" };
  return isHtml(text) ? { failure: "html", detail: `the answer is an HTML page, with ${said}` } : undefined;
}

function judgeContent({ status, headers, body, requestCount, ...answer }: OutboundAnswer): FileFetch {
  const responseTimeMs = Math.round(answer.responseTimeMs);
  const contentType = headers["content-type"];
  const text = decodeText(body, contentType);
  const problem = problemOf(body, text, contentType);
  const measures = { httpStatus: status, responseTimeMs, requestCount };
  if (problem) return { kind: "failed", ...problem, ...measures, retryAfterMs: null };
  const etag = usableValidator(headers.etag);
  const lastModified = usableValidator(headers["last-modified"]);
  return { kind: "content", text, byteSize: body.byteLength, etag, lastModified, ...measures };
}

function judgeStatus({ status, headers, url, requestCount, responseTimeMs }: OutboundAnswer, now: Date): FailedFetch {
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

/** What an answer means for the file that was asked for, and whether asking again may help. */
export function judgeAnswer(answer: OutboundAnswer, request: FileRequest, now: Date): Attempt<FileFetch> {
  const final = (result: FileFetch) => ({ result, isTransient: false, retryAfterMs: null });
  const { status, headers, requestCount } = answer;
  if (mayBeFile(status)) return final(judgeContent(answer));
  const isConditional = request.etag !== null || request.lastModified !== null;
  if (status === 304 && isConditional) {
    const etag = usableValidator(headers.etag) ?? request.etag;
    const lastModified = usableValidator(headers["last-modified"]) ?? request.lastModified;
    const responseTimeMs = Math.round(answer.responseTimeMs);
    return final({ kind: "not_modified", httpStatus: 304, etag, lastModified, responseTimeMs, requestCount });
  }
  const result = judgeStatus(answer, now);
  return { result, isTransient: status === 429 || status >= 500, retryAfterMs: result.retryAfterMs };
}
