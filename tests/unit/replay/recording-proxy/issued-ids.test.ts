import { expect, it } from "vitest";
import { IssuedIds } from "#lib/replay/recording-proxy/issued-ids";
import { matchKey } from "#lib/replay/recording-proxy/tape-request";
import { type Json, protocols, question } from "#tests/support/conversation-protocols";

const { provider, requestOf, answerOf, continue: next } = protocols.anthropic;
const options = { volatile: provider.volatileFields, isExact: false };
const asked = (json: Json) => ({ method: "POST", path: "/v1/messages", query: "", body: { json } });
const first = { ...requestOf(question), metadata: { user_id: "session_1" } };
const answers = ["a", "b"].map((id) => answerOf({ text: "", calls: [{ id, name: "get_forecast", input: {} }] }, id));
const nextOf = (answer: Json, id: string) => next(first, answer, [{ id, name: "get_forecast", output: "21" }]);

function setUp() {
  const request = asked(first);
  const key = matchKey(provider, request, options.volatile);
  const exchange = { provider, request, key, isPlayed: false, isError: false };
  const exchanges = answers.map((answer) => ({ ...exchange, answer }));
  const read: Json[] = [];
  const ids = new IssuedIds<(typeof exchanges)[number]>(async ({ answer }) => {
    read.push(answer);
    return answer;
  });
  return { ids, exchanges, read };
}

it.each([
  ["no ids", { ...first, max_tokens: 1 }, []],
  ["ids in volatile fields only", nextOf(answers[0] as Json, "a"), ["/messages/*/content/*"]],
])("no answer is read for a request with %s", async (_which, json, volatile) => {
  const { ids, exchanges, read } = setUp();
  const all = { ...options, volatile: [...options.volatile, ...volatile] };
  expect(await ids.find(exchanges, provider, asked(json), all)).toMatchObject({ kind: "miss" });
  expect(read).toEqual([]);
});

it("answers to equal requests are read once, without blocking", async () => {
  const { ids, exchanges, read } = setUp();
  const request = asked(nextOf(answers[1] as Json, "b"));
  const finding = [1, 2].map(() => ids.find(exchanges, provider, request, options));
  expect(read).toEqual([]);
  expect(await Promise.all(finding)).toMatchObject([{ kind: "miss" }, { kind: "miss" }]);
  await ids.find(exchanges, provider, request, options);
  expect(read).toEqual(answers);
});

it("a request that waited for ids does not get a recording that another one has taken", async () => {
  const { ids, exchanges } = setUp();
  const [exchange] = exchanges as [(typeof exchanges)[number]];
  const request = asked(nextOf(answers[1] as Json, "b"));
  const recorded = asked(nextOf(answers[0] as Json, "a"));
  const key = matchKey(provider, recorded, options.volatile);
  const all = [...exchanges, { ...exchange, request: recorded, key }];
  const finding = [1, 2].map(() => ids.find(all, provider, request, { ...options, isTaken: true }));
  expect(await Promise.all(finding)).toMatchObject([{ kind: "match" }, { kind: "miss" }]);
});
