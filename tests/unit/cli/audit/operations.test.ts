import { createServer } from "node:http";
import { beforeEach, expect, it } from "vitest";
import { auditLines } from "#lib/cli/audit/audit-text";
import { findOperations, operationsOf } from "#lib/cli/audit/operations";
import { listen } from "#tests/support/listen";

let answers: unknown[];
let asked: URLSearchParams[];
let sentKeys: unknown[];
let warnings: string[];
let url: string;
const find = (calls: Parameters<typeof findOperations>[1], key?: string) =>
  findOperations({ server: url, key }, calls, (message) => warnings.push(message));
beforeEach(async () => {
  [answers, asked, sentKeys, warnings] = [[], [], [], []];
  const server = createServer((request, response) => {
    sentKeys.push(request.headers.authorization);
    asked.push(new URL(request.url ?? "", "http://localhost").searchParams);
    response.end(JSON.stringify(answers.shift() ?? { _meta: { next_cursor: null }, changes: [] }));
  });
  url = `http://127.0.0.1:${await listen(server)}`;
});

const call = (operation: string | null, test: string, recordedAt: string | null = "2026-09-01T00:00:00Z") => {
  const none = { model: null, answered: null, asksModel: false, isGone: false, deprecation: null, sunset: null };
  return { operation, recordedAt, test, file: "a.json", host: "", ...none };
};
const change = (path: string, given: object = {}) => ({
  method: "GET",
  path,
  urls: [`https://api.example/v1${path}`],
  change: "changed",
  breaking: false,
  significance: 2,
  differences: [{ target: "response", at: "Item.name", change: "may be null" }],
  at: "2026-10-01T00:00:00Z",
  ...given,
});
const page = (operations: unknown[], next: string | null = null) => {
  const url = `https://tapes.example/diff/${next}`;
  return { _meta: { next_cursor: next }, changes: [{ url, operations }] };
};

it("finds what changed of the operations of tapes after they were recorded, the most significant first", async () => {
  answers = [
    page([change("/items/{id}"), change("/items/{id}"), change("/items/{id}/parts")], "next"),
    page([change("/items/{id}", { breaking: true, significance: 5 })]),
  ];
  const calls = [
    call("GET api.example/v1/items/7", "a > one"),
    call("GET api.example/v1/items/8", "a > two", null),
    call("GET api.example/v1/items/8", "a > two"),
    call("GET api.example/v1/items/7", "later", "2026-10-02T00:00:00Z"),
    call("POST api.example/v1/items/7", "sends"),
    call(null, "imported"),
  ];
  const found = await find(calls);
  expect(found.map(({ path, significance, recordings, tests }) => [path, significance, recordings, tests])).toEqual([
    ["/items/{id}", 5, 3, ["a > one", "a > two"]],
    ["/items/{id}", 2, 3, ["a > one", "a > two"]],
  ]);
  expect(asked.map((query) => [query.get("operations"), query.get("from"), query.get("cursor")])).toEqual([
    ["GET api.example/v1/items/8", null, null],
    ["GET api.example/v1/items/8", null, "next"],
    ["GET api.example/v1/items/7,POST api.example/v1/items/7", "2026-09-01", null],
  ]);
  await find(calls.slice(0, 1));
  expect(asked.at(-1)?.get("from")).toBe("2026-09-01");
  expect(auditLines({ models: [], headers: [], operations: found, unnamed: 0 }).slice(-4)).toEqual([
    "  GET /items/{id}  changed 2026-10-01, breaking  3 recordings in 2 tests",
    "    Item.name in responses may be null",
    "  GET /items/{id}  changed 2026-10-01  3 recordings in 2 tests",
    "    Item.name in responses may be null",
  ]);
});

it("says that a server has more changes than were read, and lists the newest", async () => {
  answers = Array.from({ length: 30 }, (_, index) => page([change("/items")], `${index}`));
  expect((await find([call("GET api.example/v1/items", "a")])).length).toBe(20);
  expect([asked.length, warnings]).toEqual([
    20,
    [`${url} has more changes of these operations than were read: the oldest are not listed.`],
  ]);
});

it("sends a key, with which a server has the changes of the account's own documents too", async () => {
  for (const key of ["ltf_1", undefined]) await find([call("GET api.example/v1/items", "a")], key);
  expect(sentKeys).toEqual(["Bearer ltf_1", undefined]);
});

it("asks for many operations in several requests", async () => {
  const calls = Array.from({ length: 300 }, (_, index) => call(`GET api.example/v1/items/${index}`, "a"));
  expect(await find([...calls, call(`GET api.example/${"x".repeat(600)}`, "a")])).toEqual([]);
  const lists = asked.map((query) => query.get("operations") ?? "");
  expect([lists.length > 1, lists.every(({ length }) => length <= 4_000)]).toEqual([true, true]);
  expect(lists.join(",").split(",")).toEqual(operationsOf(calls));
});

it("finds none on a server that does not compare operations, and says if it has no changes", async () => {
  answers = [
    { _meta: { next_cursor: null }, changes: [{ url: "https://tapes.example/diff", models: [] }] },
    { data: 7 },
  ];
  const calls = [call("GET api.example/v1/items", "a")];
  expect(await find(calls)).toEqual([]);
  await expect(find(calls)).rejects.toThrow("has no list of changes");
  expect(await find([])).toEqual([]);
});
