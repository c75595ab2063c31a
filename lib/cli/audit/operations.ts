import * as z from "zod";
import type { RecordedCall } from "#lib/replay/recording-proxy/index";
import { patternOf } from "#lib/tracking/operations/list-operations";
import { CommandFailure, noAnswer } from "../failure";
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

type DatedList = { list: string; from: string | undefined };

/** Returns the lists to ask for, each with the first day of its recordings; none if one of an operation has no date. */
function datedLists(calls: readonly RecordedCall[]): DatedList[] {
  const undated = new Set(operationsOf(calls.filter(({ recordedAt }) => recordedAt === null)));
  const dated = calls.filter(({ operation }) => operation !== null && !undated.has(operation));
  const [from] = dated.flatMap(({ recordedAt }) => recordedAt?.slice(0, 10) ?? []).sort();
  return [
    ...listsOf([...undated]).map((list) => ({ list, from: undefined })),
    ...listsOf(operationsOf(dated)).map((list) => ({ list, from })),
  ];
}

/**
 * Returns the changes, noticed by a server after calls were recorded, of the operations that they call, the most significant first.
 * Calls `warn` if there are older ones that were not read. Throws CommandFailure.
 */
export async function findOperations(
  { server, key }: Server,
  calls: readonly RecordedCall[],
  warn: (message: string) => void,
): Promise<OperationFinding[]> {
  const found = new Map<string, OperationFinding>();
  let isCut = false;
  for (const { list, from } of datedLists(calls)) {
    let cursor: string | null = "";
    for (let page = 0; cursor !== null && page < maxPageCount; page += 1) {
      const query = new URLSearchParams({ operations: list, ...(from && { from }), ...(cursor && { cursor }) });
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
    isCut ||= cursor !== null;
  }
  if (isCut) warn(`${server} has more changes of these operations than were read: the oldest are not listed.`);
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
