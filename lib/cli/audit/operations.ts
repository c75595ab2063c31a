import * as z from "zod";
import type { RecordedCall } from "#lib/replay/recording-proxy/index";
import { patternOf } from "#lib/tracking/operations/list-operations";
import { CommandFailure, misused, noAnswer } from "../failure";
import { fetchServer, type Server } from "./fetch-server";

const changeSchema = z.object({
  method: z.string(),
  path: z.string(),
  urls: z.array(z.string()),
  change: z.string(),
  breaking: z.boolean(),
  significance: z.number(),
  differences: z.array(
    z.object({ target: z.enum(["request", "response", "operation"]), at: z.string(), change: z.string() }),
  ),
  at: z.iso.datetime(),
});

/** A change of an operation that older recordings call. `file`: one of them. */
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

/**
 * Returns the changes, noticed by a server after calls were recorded, of the operations that they call, the most significant first.
 * Throws CommandFailure.
 */
export async function findOperations(
  { server, key }: Server,
  calls: readonly RecordedCall[],
): Promise<OperationFinding[]> {
  const found = new Map<string, OperationFinding>();
  const days = calls.map(({ recordedAt }) => recordedAt?.slice(0, 10) ?? "").sort();
  for (const list of listsOf(operationsOf(calls))) {
    let cursor: string | null = "";
    for (let page = 0; cursor !== null; page += 1) {
      if (page === maxPageCount)
        throw new CommandFailure(`${server} has too many changes of these operations. Audit fewer tapes.`, misused);
      const query = new URLSearchParams({
        operations: list,
        ...(days[0] && { from: days[0] }),
        ...(cursor && { cursor }),
      });
      const response = await fetchServer({ server, key }, `/api/v1/changes?${query}`);
      const answer = listSchema.safeParse(response.ok ? await response.json().catch(() => undefined) : undefined);
      if (!answer.success) throw new CommandFailure(`${server} has no list of changes at /api/v1/changes.`, noAnswer);
      for (const { url, operations } of answer.data.changes)
        for (const operation of operations)
          found.set(`${url} ${operation.method} ${operation.path}`, {
            ...operation,
            ...{ url, recordings: 0, tests: [], file: "" },
          });
      cursor = answer.data._meta.next_cursor;
    }
  }
  for (const change of found.values()) {
    const pattern = new RegExp(patternOf(change.method, change.urls));
    for (const { operation, recordedAt, test, file } of calls) {
      const isOlder = recordedAt === null || Date.parse(recordedAt) < Date.parse(change.at);
      if (operation === null || !isOlder || !pattern.test(operation)) continue;
      change.recordings += 1;
      change.file ||= file;
      if (!change.tests.includes(test)) change.tests.push(test);
    }
  }
  return [...found.values()].filter(({ recordings }) => recordings > 0).sort((a, b) => b.significance - a.significance);
}
