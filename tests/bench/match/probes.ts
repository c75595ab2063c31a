import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Json, question } from "../../support/conversation-protocols";
import { conversation } from "./corpus";

/** A request, and how it has to be matched. A miss has no cassette. */
export type Probe = { kind: string; body: Json; match: string | null; id: string | null };

const known = "developer-tools/explain-sse";

async function requestOf(folder: string, id: string): Promise<Json> {
  return JSON.parse(await readFile(join(folder, `${id}.json`), "utf8")).request.body.json;
}

/** Returns one request for each way of matching. All corpora give them the same answers. */
export async function makeProbes(folder: string): Promise<Probe[]> {
  const recorded = await requestOf(folder, known);
  const [, second] = conversation.requests as [Json, Json];
  const ask = (content: string) => ({ model: "any", max_tokens: 100, messages: [{ role: "user", content }] });
  const name = `cassette:${conversation.cassettes[0]?.id}`;
  const changed = { ...second, system: "Today is another day." };
  return [
    { kind: "by name", body: { ...ask("Anything"), model: `cassette:${known}` }, match: "name", id: known },
    { kind: "exact", body: { ...recorded, stream: false }, match: "exact", id: known },
    { kind: "same ids", body: changed, match: "lineage", id: "developer-tools/bench-2" },
    { kind: "turn of a named one", body: { ...changed, model: name }, match: "lineage", id: "developer-tools/bench-2" },
    {
      kind: "first turn of a named one",
      body: { ...ask(question), model: name },
      match: "name",
      id: "developer-tools/bench-1",
    },
    { kind: "nearest", body: ask("Explain server-sent events"), match: "nearest", id: known },
    { kind: "none (404)", body: ask("zyx wvu tsr"), match: null, id: null },
  ];
}
