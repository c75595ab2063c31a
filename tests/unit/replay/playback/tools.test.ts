import { describe, expect, it } from "vitest";
import { catalogue } from "#lib/replay/cassettes/index";
import {
  getCassetteTool,
  listCassettesTool,
  type ReplayToolContext,
  randomReplayTool,
  replayCassetteTool,
} from "#lib/replay/playback/index";
import { readEvents } from "#lib/replay/providers/index";
import { callTool, refusalOf, walkTool } from "#tests/support/call-tool";
import { catalogueOf, type SampleDraft } from "#tests/support/sample-cassette";

function contextOf(drafts: readonly SampleDraft[]): ReplayToolContext {
  const nearestCassettes = async () => [];
  return {
    catalogue: catalogueOf(drafts),
    nearestCassettes,
    origin: "http://tapes.example",
    site: { vertical: "legal" },
  };
}

const id = "legal/nda";

describe("list_cassettes", () => {
  const drafts = Array.from({ length: 130 }, (_, index) => ({
    id: `${index < 90 ? "legal" : "finance"}/c-${String(index).padStart(3, "0")}`,
    title: "x".repeat(200),
  }));
  const context = contextOf(drafts);

  it("lists every cassette once, ordered by id, over any number of pages", async () => {
    const pages = await walkTool(listCassettesTool, context);
    expect(pages.length).toBeGreaterThan(2);
    expect(pages.flatMap(({ cassettes }) => cassettes.map(({ id }) => id))).toEqual(drafts.map(({ id }) => id).sort());
    for (const page of pages) expect([page.total, page.count]).toEqual([130, page.cassettes.length]);
  });

  it("lists at most as many as the limit says, with what plays them", async () => {
    const { cassettes, next_cursor } = await callTool(listCassettesTool, context, { limit: 2 });
    expect(cassettes).toHaveLength(2);
    expect(cassettes[0]).toMatchObject({
      protocol: "anthropic",
      turn: 1,
      turns: 1,
      tools: [],
      request: { method: "POST", path: "/v1/messages", model: "claude-test-1" },
    });
    expect((await callTool(listCassettesTool, context, { limit: 1, cursor: next_cursor })).cassettes[0]?.id).toBe(
      "finance/c-092",
    );
  });

  it("lists only the cassettes of a vertical, and rejects the cursor of another one", async () => {
    const pages = await walkTool(listCassettesTool, context, { vertical: "finance" });
    expect(pages.flatMap(({ cassettes }) => cassettes)).toHaveLength(40);
    const { next_cursor: cursor } = await callTool(listCassettesTool, context, {});
    const { code } = await refusalOf(callTool(listCassettesTool, context, { vertical: "legal", cursor }));
    expect(code).toBe("invalid_cursor");
  });
});

describe("get_cassette", () => {
  it("returns details and prompt; a long prompt is paged", async () => {
    const prompt = 'Say "this"\n'.repeat(3_000);
    const pages = await walkTool(getCassetteTool, contextOf([{ id, prompt }]), { id });
    expect(pages.map((page) => page.prompt).join("")).toBe(prompt);
    expect(pages[0]).toMatchObject({
      id,
      model: "claude-test-1",
      provenance: "recorded",
      end: "complete",
      usage: { output_tokens: 1 },
      replay_url: `http://tapes.example/api/v1/replay/${id}`,
    });
  });

  it("an unknown id is an error that names the nearest, or list_cassettes", async () => {
    for (const tool of [getCassetteTool, replayCassetteTool])
      for (const [cassettes, advice] of [
        [[], "list_cassettes"],
        [[{ id: `${id}s` }], `Nearest: ${id}s.`],
      ] as const) {
        const context = contextOf([...cassettes]);
        const refusal = await refusalOf(callTool<ReplayToolContext, never, never>(tool as never, context, { id }));
        expect(refusal).toEqual({ code: "not_found", message: expect.stringContaining(advice) });
      }
  });
});

describe("replay_cassette", () => {
  const pieces = Array.from({ length: 700 }, (_, index) => `Piece ${index} says "ä😀"\n`.repeat(8));

  it("returns the whole text, even if the catalogue keeps only its beginning", async () => {
    expect(pieces.join("").length).toBeGreaterThan(100_000);
    const pages = await walkTool(replayCassetteTool, contextOf([{ id, pieces }]), { id });
    expect(pages.map(({ text }) => text).join("")).toBe(pieces.join(""));
    expect(pages.every(({ events, tokens_spent }) => events === undefined && tokens_spent === 0)).toBe(true);
  });

  it("returns the body as it was sent, with its line ends and comments", async () => {
    const bundled = { ...contextOf([]), catalogue: catalogue() };
    const form = { id: "developer-tools/sse-forms", format: "raw" } as const;
    const pages = await walkTool(replayCassetteTool, bundled, form);
    const raw = pages.map((page) => page.raw).join("");
    const recording = await bundled.catalogue.recording(form.id);
    expect(raw === Buffer.concat([...(recording?.chunks ?? [])]).toString()).toBe(true);
    for (const part of ["\r\n", "\n:", "\nretry: "]) expect(raw).toContain(part);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.every(({ events, text }) => events === undefined && text === undefined)).toBe(true);
  });

  it("returns a short text on one page", async () => {
    const page = await callTool(replayCassetteTool, contextOf([{ id, pieces: ["Hello ", "there."] }]), { id });
    expect(page).toMatchObject({ text: "Hello there.", next_cursor: null, end: "complete" });
  });

  it("returns tool calls, errors and ends, and names what is left out", async () => {
    const bundled = { ...contextOf([]), catalogue: catalogue() };
    const called = await callTool(replayCassetteTool, bundled, { id: "legal/court-deadlines" });
    expect(called).toMatchObject({ stop_reason: "tool_use", error: null });
    expect(called.tool_calls?.map(({ name, input }) => [name, typeof JSON.parse(input)])).toContainEqual([
      expect.any(String),
      "object",
    ]);
    const ids = (await bundled.catalogue.list()).filter(({ features }) => features.includes("thinking"));
    const thought = await callTool(replayCassetteTool, bundled, { id: ids[0]?.id ?? "" });
    expect(thought.omitted).toEqual([expect.stringMatching(/^\d+ characters of thinking$/)]);
    const failed = (await bundled.catalogue.list()).find(({ end }) => end === "error");
    expect(await callTool(replayCassetteTool, bundled, { id: failed?.id ?? "" })).toMatchObject({
      end: "error",
      error: { status: expect.any(Number), message: expect.stringMatching(/.{5}/) },
    });
  });

  it("returns every event with its time, paged by count and by size", async () => {
    const context = contextOf([{ id, pieces }]);
    const recording = await context.catalogue.recording(id);
    const recorded = readEvents(
      (recording?.chunks ?? []).map((bytes, index) => ({ bytes, deltaMs: index > 0 ? 1 : 0 })),
      "sse",
    );
    const pages = await walkTool(replayCassetteTool, context, { id, format: "events" });
    const events = pages.flatMap((page) => page.events ?? []);
    expect(events).toEqual(recorded.map(({ atMs, event, data }) => ({ at_ms: atMs, event, data })));
    expect(events).toHaveLength(705);
    expect(Math.max(...pages.map((page) => page.events?.length ?? 0))).toBeLessThanOrEqual(100);
  });

  it("splits an event that is larger than a page without losing any of it", async () => {
    const large = 'a "large" one\n'.repeat(5_000);
    const pages = await walkTool(replayCassetteTool, contextOf([{ id, pieces: ["small", large, "end"] }]), {
      id,
      format: "events",
    });
    const data = pages
      .flatMap((page) => page.events ?? [])
      .reduce<{ texts: string[]; open: boolean }>(
        ({ texts, open }, event) => ({
          texts: open ? [...texts.slice(0, -1), `${texts.at(-1)}${event.data}`] : [...texts, event.data],
          open: event.data_continues ?? false,
        }),
        { texts: [], open: false },
      );
    expect(data.open).toBe(false);
    expect(data.texts.map((text) => JSON.parse(text).delta?.text).filter(Boolean)).toEqual(["small", large, "end"]);
  });

  it("rejects the cursor of another cassette and of the other format", async () => {
    const other = "legal/other";
    const context = contextOf([
      { id, pieces },
      { id: other, pieces: [...pieces, "."] },
    ]);
    const { next_cursor: ofEvents } = await callTool(replayCassetteTool, context, { id, format: "events" });
    const { next_cursor: ofText } = await callTool(replayCassetteTool, context, { id });
    const refused = [
      { id: other, format: "events", cursor: ofEvents },
      { id, cursor: ofEvents },
      { id, format: "events", cursor: ofText },
      { id: other, cursor: ofText },
    ];
    for (const input of refused) {
      const { message } = await refusalOf(callTool(replayCassetteTool, context, input));
      expect(message).toContain("Call again");
    }
  });
});

describe("random_replay", () => {
  it("returns the URL of a cassette of the site's vertical", async () => {
    const context = contextOf([{ id }, { id: "finance/bond" }]);
    const replay_url = `http://tapes.example/api/v1/replay/${id}`;
    for (let round = 0; round < 20; round += 1) {
      expect(await callTool(randomReplayTool, context, {})).toEqual({ replay_url });
    }
  });

  it("a site without cassettes is an error that names list_cassettes", async () => {
    const refusal = await refusalOf(callTool(randomReplayTool, contextOf([{ id: "finance/bond" }]), {}));
    expect(refusal).toEqual({ code: "not_found", message: expect.stringContaining("list_cassettes") });
  });
});
