import { RecordError } from "./record-error";

type Answer = { status: number; headers: Record<string, string>; body: string; url: URL };

/** Longest text of a provider that is repeated. */
const maxTextLength = 300;

/** A provider's own words, on one line and without anything that could steer a terminal. */
export function plainLine(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, " ").trim();
  return line.length > maxTextLength ? `${line.slice(0, maxTextLength)}…` : line;
}

/** `overloaded_error: Overloaded`, from the provider's error object. */
export function describeProviderError(error: unknown): string {
  const { type, message } = (error ?? {}) as { type?: unknown; message?: unknown };
  const parts = [type, message].filter((part) => typeof part === "string" && part !== "") as string[];
  return plainLine(parts.join(": "));
}

function describeBody(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return describeProviderError(error) || plainLine(body);
  } catch {
    return plainLine(body.replace(/<[^>]{0,500}>/g, " "));
  }
}

function advice({ status, headers, url }: Answer): string {
  const retryAfter = headers["retry-after"];
  const wait =
    retryAfter === undefined ? "Try again later" : `Try again after ${plainLine(retryAfter)} s (retry-after)`;
  if (status === 401) return "The key was refused. Check ANTHROPIC_API_KEY";
  if (status === 403) return "The key may not do this. Check its permissions and ANTHROPIC_API_KEY";
  if (status === 404) return `Check the model's name and --base-url (the request went to ${url.href})`;
  if (status === 413) return "The request is too large. Shorten the prompt";
  if (status === 429) return `The rate limit is reached. ${wait}`;
  if (status === 529) return `The provider is overloaded. ${wait}`;
  if (status >= 500) return `The provider failed. ${wait}`;
  if (status >= 400) return "Change the request";
  const location = headers.location === undefined ? "" : ` to ${plainLine(headers.location)}`;
  return `It redirects${location}. Give the final address with --base-url`;
}

/** What an answer that is no stream means, with the provider's own words. */
export function explainStatus(answer: Answer): RecordError {
  const said = describeBody(answer.body);
  const words = said === "" ? "" : ` (${said})`;
  return new RecordError("provider", `${answer.url.host} answered ${answer.status}${words}. ${advice(answer)}.`);
}
