import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Editable,
  EditError,
  editableText,
  editCassette,
  parseEditable,
  readEditable,
} from "#lib/replay/cassettes/edit-cassette";
import { parseCassette, readRecordedAnswer, serializeCassette } from "#lib/replay/cassettes/index";
import { requireProvider } from "#lib/replay/providers/index";
import { bundledFolder, bundledIds } from "#tests/support/bundled-cassettes";

const now = new Date("2026-11-25T12:00:00Z");
const read = (id: string) => parseCassette(readFileSync(join(bundledFolder, `${id}.json`)));
const all = bundledIds.map(read);
const editable = all.filter(({ cassette }) => cassette.end === "complete" && cassette.response.status === 200);

/** Edits as a file would be, and reads what was written. */
function edit(verified: ReturnType<typeof read>, change: Editable) {
  const saved = parseEditable(editableText(change));
  return parseCassette(Buffer.from(serializeCassette(editCassette(verified, saved, now))));
}

function answerOf({ cassette, chunks }: ReturnType<typeof read>) {
  return readRecordedAnswer(requireProvider(cassette.provider), { headers: cassette.response.headers, chunks }).answer;
}

describe.each(editable.map((verified) => [verified.cassette.id, verified] as const))("%s", (_id, verified) => {
  const before = readEditable(verified);
  const parts = "answer" in before ? before.answer : [];

  it("says what was edited, in its provider's events at their old times, and nothing else differs", () => {
    const changed = parts.map((part) =>
      "tool" in part ? { ...part, input: { edited: ["ä", 1] } } : { text: `${part.text} Édité: yes.` },
    );
    const after = edit(verified, { status: 200, answer: changed });
    expect(readEditable(after)).toEqual({ status: 200, answer: changed });
    const { provenance, request, response, end } = after.cassette;
    expect(provenance).toEqual({ ...verified.cassette.provenance, edited: now.toISOString() });
    expect([request, response.status, end]).toEqual([verified.cassette.request, 200, "complete"]);
    expect(after.durationMs).toBeCloseTo(verified.durationMs, 0);
    expect(after.chunks.length).toBeGreaterThan(verified.chunks.length / 2);
    const [old, edited] = [answerOf(verified), answerOf(after)];
    expect([edited?.ids, edited?.stopReason, edited?.usage]).toEqual([old?.ids, old?.stopReason, old?.usage]);
    const thinking = (answer: typeof old) => answer?.parts.filter(({ kind }) => kind === "thinking");
    expect(thinking(edited)).toEqual(thinking(old));
  });

  it("can become an error of its provider", () => {
    const after = edit(verified, { status: 429, error: "Too many." });
    expect(readEditable(after)).toEqual({ status: 429, error: "Too many." });
    expect([after.cassette.response.status, after.cassette.end]).toEqual([429, "error"]);
  });
});

it("an edited error has no length of the answer that was recorded", () => {
  const [verified] = editable as [(typeof editable)[0]];
  const { cassette } = verified;
  const headers = { ...cassette.response.headers, "content-length": "30" };
  const measured = { ...verified, cassette: { ...cassette, response: { ...cassette.response, headers } } };
  const after = edit(measured, { status: 429, error: "Too many." });
  expect(after.cassette.response.headers).not.toHaveProperty("content-length");
});

describe("what cannot be edited is refused:", () => {
  const [first] = editable as [(typeof editable)[0]];

  it.each([
    ["other parts", "status: 200\nanswer: []", "The parts of the answer must stay: text"],
    ["a status that is none", "status: 700\nerror: What?", "What was edited is not valid"],
    ["no text", "", "What was edited is not valid"],
    ["no YAML", "{", "is not valid YAML"],
  ])("%s", (_name, change, message) => {
    const attempt = () => editCassette(first, parseEditable(change), now);
    expect(attempt).toThrow(EditError);
    expect(attempt).toThrow(message);
  });

  it("a recording that was cut off", () => {
    const cut = all.find(({ cassette }) => cassette.end === "truncated") ?? {
      ...first,
      cassette: { ...first.cassette, end: "truncated" as const },
    };
    expect(() => readEditable(cut)).toThrow("was cut off");
  });
});
