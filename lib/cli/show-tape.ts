import { relative } from "node:path";
import { printable } from "#lib/platform/printable";
import { dayMs } from "#lib/platform/time";
import { describeCassette, objectOf } from "#lib/replay/cassettes/index";
import { Tape } from "#lib/replay/recording-proxy/index";
import { countText } from "./audit/audit-text";
import { usageText } from "./show-cassette";

/** Most characters of a user message in a list. */
const maxPromptLength = 72;

type Exchange = {
  /** Position on the tape, from 1. */
  number: number;
  file: string;
  method: string;
  path: string;
  provider: string;
  model: string;
  /** The last user message. */
  prompt: string;
  status: number;
  usage: Record<string, unknown>;
  recorded_at: string;
};

export type ShownTape = { test: string; folder: string; exchanges: Exchange[] };

/** Reads a tape below a folder and describes its recordings; null if it has none. Throws TapeError. */
export async function readTape(folder: string, root: string): Promise<ShownTape | null> {
  const tape = await Tape.open({ root, folder }, null);
  if (tape.exchanges.length === 0) return null;
  const exchanges: Exchange[] = [];
  for (const [index, exchange] of tape.exchanges.entries()) {
    const summary = describeCassette(await tape.readAnswer(exchange));
    const { file, request, provider } = exchange;
    exchanges.push({
      number: index + 1,
      file,
      method: request.method,
      path: request.path,
      provider: provider.name,
      model: summary.model,
      // Of the whole request: the file of a later turn has only what is new.
      prompt: provider.readQuestion({ ...request, body: objectOf(request.body) }).prompt,
      status: summary.status,
      usage: summary.usage,
      recorded_at: summary.provenance.recorded_at,
    });
  }
  return { test: tape.test, folder: relative(process.cwd(), folder) || ".", exchanges };
}

function firstWords(text: string): string {
  const line = printable(text).replace(/\s+/g, " ").trim();
  return line.length <= maxPromptLength ? line : `${line.slice(0, maxPromptLength).replace(/\s+\S*$/, "")} …`;
}

/** Returns how long ago the oldest recording was made. Recordings have a date, not a time. */
function ageText({ exchanges }: ShownTape, now: Date): string {
  const times = exchanges.map(({ recorded_at }) => new Date(recorded_at).getTime());
  const days = Math.floor((now.getTime() - Math.min(...times)) / dayMs);
  return days < 1 ? "today" : `${countText(days, "day")} ago`;
}

/** Returns the kinds of a tape's requests, each with how often it occurs. */
function requestsText({ exchanges }: ShownTape): string {
  const counts = new Map<string, number>();
  for (const { method, path } of exchanges) {
    const request = `${method} ${path}`;
    counts.set(request, (counts.get(request) ?? 0) + 1);
  }
  return [...counts].map(([request, count]) => (count === 1 ? request : `${request} (${count})`)).join(", ");
}

export function tapeRow(tape: ShownTape, now: Date): string {
  const files = countText(tape.exchanges.length, "file");
  return `${printable(tape.test)}\n  ${tape.folder}  ${files}  ${requestsText(tape)}  ${ageText(tape, now)}\n`;
}

export function tapeText({ test, folder, exchanges }: ShownTape): string {
  const rows = exchanges.map(({ file, method, path, model, status, usage, prompt }) => {
    const head = [file, `${method} ${path}`, model, String(status), usageText(usage)].filter((part) => part !== "");
    return `  ${head.join("  ")}\n${prompt === "" ? "" : `    ${firstWords(prompt)}\n`}`;
  });
  return `${printable(test)}\n${folder}\n${rows.join("")}`;
}
