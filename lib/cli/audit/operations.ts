import * as z from "zod";
import { parseUrl } from "#lib/platform/parse-url";
import type { RecordedCall } from "#lib/replay/recording-proxy/index";
import { CommandFailure, misused } from "../failure";

const changeSchema = z.object({
  method: z.string(),
  path: z.string(),
  urls: z.array(z.string()),
  change: z.string(),
  breaking: z.boolean(),
  significance: z.number(),
  differences: z.array(z.object({ target: z.string(), at: z.string(), change: z.string() })),
  at: z.iso.datetime(),
});

/** A change of an operation that recordings call which are older than it. `file`: one of them. */
export type OperationFinding = z.infer<typeof changeSchema> & {
  recordings: number;
  tests: string[];
  file: string;
  url: string;
};

const listSchema = z.object({
  _meta: z.object({ next_cursor: z.string().nullable() }),
  changes: z.array(z.object({ url: z.string(), operations: z.array(changeSchema).default([]) })),
});

/** Longest list of operations in a request, in characters, and most pages of changes that are read of each list. */
const maxListLength = 3_500;
const maxPageCount = 20;
const serverTimeoutMs = 30_000;

/** Longest name of an operation that a server takes. */
const maxNameLength = 500;

/** Returns the distinct operations that recordings call: `POST api.openai.com/v1/responses`. */
export function operationsOf(calls: readonly RecordedCall[]): string[] {
  const names = calls.flatMap(({ operation }) => operation ?? []);
  return [...new Set(names)].filter(({ length }) => length <= maxNameLength);
}

function listsOf(operations: readonly string[]): string[] {
  const lists: string[] = [];
  for (const operation of operations) {
    const name = operation.replaceAll(",", "%2C");
    const last = lists.at(-1);
    if (last !== undefined && last.length + name.length < maxListLength) lists[lists.length - 1] = `${last},${name}`;
    else lists.push(name);
  }
  return lists;
}

/** Whether an operation of the given URLs, with parameters in braces, is what a recording calls. */
function isCalled({ method, urls }: Pick<OperationFinding, "method" | "urls">, operation: string): boolean {
  return urls.some((url) => {
    const parts = url.replace(/^[a-z]+:\/\//, "").split(/\{[^{}/]*\}/);
    const pattern = parts.map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[^/]+");
    return new RegExp(`^${method} ${pattern}$`).test(operation);
  });
}

/**
 * Returns the changes, noticed by a server after calls were recorded, of the operations that they call, the most significant first.
 * Throws CommandFailure.
 */
export async function findOperations(server: string, calls: readonly RecordedCall[]): Promise<OperationFinding[]> {
  const found: OperationFinding[] = [];
  for (const list of listsOf(operationsOf(calls))) {
    for (let page = 0, cursor: string | null = ""; page < maxPageCount && cursor !== null; page += 1) {
      const query = new URLSearchParams({ operations: list, ...(cursor && { cursor }) });
      const url = parseUrl(`/api/v1/changes?${query}`, server);
      if (!url) throw new CommandFailure(`--server ${server} is not a URL.`, misused);
      const response = await fetch(url, { signal: AbortSignal.timeout(serverTimeoutMs) }).catch(() => undefined);
      const answer = listSchema.safeParse(response?.ok ? await response.json().catch(() => undefined) : undefined);
      if (!answer.success) throw new CommandFailure(`${url.origin}/api/v1/changes has no list of changes.`);
      for (const { url, operations } of answer.data.changes)
        found.push(...operations.map((operation) => ({ ...operation, url, recordings: 0, tests: [], file: "" })));
      cursor = answer.data._meta.next_cursor;
    }
  }
  for (const { operation, recordedAt, test, file } of calls) {
    for (const change of found) {
      const isOlder = recordedAt === null || Date.parse(recordedAt) < Date.parse(change.at);
      if (operation === null || !isOlder || !isCalled(change, operation)) continue;
      change.recordings += 1;
      change.file ||= file;
      if (!change.tests.includes(test)) change.tests.push(test);
    }
  }
  return found.filter(({ recordings }) => recordings > 0).sort((a, b) => b.significance - a.significance);
}
