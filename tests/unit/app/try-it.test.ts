import { describe, expect, it, vi } from "vitest";
import { eventually } from "#tests/support/eventually";
import { buildUrl, sendTryRequest, type TryState } from "../../../app/docs/_components/reference/try-it";

const parameters = [
  { name: "slug", place: "path" },
  { name: "q", place: "query" },
  { name: "limit", place: "query" },
] as const;

describe("the URL of a try-it request", () => {
  it("stays on the page's own origin, whatever the user types", () => {
    const origin = "https://replay.example.com";
    for (const slug of ["//evil.example", "..", ".", "../../x", "\\\\evil.example", "a?b#c", "https://evil.example/"]) {
      const url = buildUrl("/api/v1/vendors/{slug}", parameters, { slug });
      expect([slug, new URL(url, origin).origin]).toEqual([slug, origin]);
      expect([slug, new URL(url, origin).pathname.startsWith("/api/v1/")]).toEqual([slug, true]);
    }
  });

  it("contains only the filled-in values", () => {
    const values = { slug: "a b", q: "x & y", limit: "" };
    expect(buildUrl("/v/{slug}", parameters, values)).toBe("/v/a%20b?q=x+%26+y");
  });
});

function stubFetch(body: BodyInit | null, headers: Record<string, string> = {}) {
  const fetchStub = vi.fn(async (_url: string, _init: RequestInit) => new Response(body, { headers }));
  vi.stubGlobal("fetch", fetchStub);
  return fetchStub;
}

async function collectStates(signal = new AbortController().signal): Promise<TryState[]> {
  const states: TryState[] = [];
  try {
    await sendTryRequest("/x", signal, (state) => states.push(state));
  } finally {
    vi.unstubAllGlobals();
  }
  return states;
}

describe("a try-it request", () => {
  it("sends no credentials, and indents JSON", async () => {
    const fetchStub = stubFetch('{"a":1}', { "content-type": "application/json", "x-request-id": "1", "x-other": "2" });
    const last = (await collectStates()).at(-1);
    expect(fetchStub.mock.calls[0]?.[1]).toMatchObject({ credentials: "omit" });
    expect(last).toMatchObject({ status: "done", wasStopped: false });
    const { received } = last as Extract<TryState, { status: "done" }>;
    expect([received.text, received.isCut]).toEqual(['{\n  "a": 1\n}', false]);
    expect(received.headers.map(([name]) => name)).toEqual(["content-type", "x-request-id"]);
  });

  it("reads no more than it shows", async () => {
    const cancelled = vi.fn();
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(10_000))),
      cancel: cancelled,
    });
    stubFetch(endless);
    const { received } = (await collectStates()).at(-1) as Extract<TryState, { status: "done" }>;
    expect([received.isCut, received.text.length]).toEqual([true, 60_000]);
    await eventually(() => expect(cancelled).toHaveBeenCalled());
  });

  it("says that there was no response", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("refused")));
    expect((await collectStates()).at(-1)).toEqual({
      status: "failed",
      message: "No response. Check that the service can be reached.",
    });
  });
});
