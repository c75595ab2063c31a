import type { OutboundAnswer } from "#lib/platform/outbound/index";
import type { SampleEvent } from "./read-samples";

/** What an invented site takes to answer, in milliseconds. */
const responseTimeMs = 120;

function answer(url: string, status: number, text: string): OutboundAnswer {
  const headers = { "content-type": "text/markdown; charset=utf-8" };
  return { status, headers, url, body: Buffer.from(text, "utf8"), requestCount: 1, responseTimeMs };
}

/** Answers in place of the guarded fetch as a sample's site does from an event on; it has no robots.txt. */
export function playSample(event: SampleEvent): (url: string | URL) => Promise<OutboundAnswer> {
  return async (url) => {
    const address = String(url);
    if (new URL(address).pathname === "/robots.txt") return answer(address, 404, "");
    return "text" in event ? answer(address, 200, event.text) : answer(address, event.status, "");
  };
}
