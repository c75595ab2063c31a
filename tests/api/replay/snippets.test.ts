import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, inject, it } from "vitest";
import { decodeChunk } from "#lib/replay/cassettes/decode-cassette";
import type { Cassette } from "#lib/replay/cassettes/format";
import { readRecordedAnswer } from "#lib/replay/cassettes/index";
import { requireProvider } from "#lib/replay/providers/index";
import { bundledFolder } from "#tests/support/bundled-cassettes";
import { isExtended } from "#tests/support/extended";
import { listSnippets } from "../../../app/(site)/replay/[vertical]/[slug]/code-snippets";

const project = resolve(import.meta.dirname, "../../..");

function cassetteOf(id: string): Cassette {
  return JSON.parse(readFileSync(join(bundledFolder, `${id}.json`), "utf8"));
}

/** Returns the start of the last text or refusal of a cassette, which is on one line. */
function expectedText({ provider, response, chunks }: Cassette): string {
  const { answer } = readRecordedAnswer(requireProvider(provider), {
    headers: response.headers,
    chunks: chunks.map(decodeChunk),
  });
  const part = answer?.parts.findLast(({ kind }) => kind === "text" || kind === "refusal");
  return part && "text" in part ? part.text.slice(0, 30) : "no text";
}

/** Runs code as a module of the project, and returns what it prints. */
const run = async (code: string) =>
  (await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], { cwd: project })).stdout;

describe("the code examples on a cassette's page", () => {
  const snippetsOf = (id: string) => {
    const origin = inject("baseUrl");
    const { provider } = cassetteOf(id);
    const isLater = /-\d$/.test(id);
    return listSnippets({ id, provider, origin, url: `${origin}/api/v1/replay/${id}?speed=max`, isLater });
  };
  const codeOf = (id: string, name: string) => snippetsOf(id).find((snippet) => snippet.id === name)?.code;

  it("print the answer with the provider's SDK, and by its URL", async () => {
    // Each program loads an SDK, and each stream takes as long as its cassette.
    const ids = ["legal/invented-witness"];
    if (isExtended) ids.push("legal/german-lease-terms", "developer-tools/move-commits");
    const check = async (id: string) => {
      const printed = await Promise.all(["sdk", "fetch"].map((name) => run(codeOf(id, name) as string)));
      expect([id, printed[0]]).toEqual([id, expect.stringContaining(expectedText(cassetteOf(id)))]);
      expect(printed[1]?.length).toBeGreaterThan(1000);
    };
    await Promise.all(ids.map(check));
  });

  it("name the provider's own path for curl, and an EventSource only for server-sent events", () => {
    expect(codeOf("legal/german-lease-terms", "api")).toMatch(
      /:streamGenerateContent\?alt=sse" .*x-goog-api-key: cassette:legal/,
    );
    expect(codeOf("developer-tools/move-commits", "api")).toContain("/api/chat");
    expect(codeOf("developer-tools/move-commits", "event-source")).toBeUndefined();
    // By its name, a client gets the first turn.
    expect(codeOf("legal/court-deadlines-2", "sdk")).toBeUndefined();
    expect(codeOf("finance/receipt-matching", "event-source")).toContain("response.output_text.delta");
  });
});
