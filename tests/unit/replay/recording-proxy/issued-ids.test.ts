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
  const exchange = { provider, request, key: matchKey(provider, request, options.volatile), isPlayed: false };
  const exchanges = answers.map((answer) => ({ ...exchange, answer }));
  const read: Json[] = [];
  const ids = new IssuedIds<(typeof exchanges)[number]>(async ({ answer }) => {
    read.push(answer);
    return answer;
  });
  return { ids, exchanges, read };
}

it.each([
  ["no ids", first, []],
  ["ids in volatile fields only", nextOf(answers[0] as Json, "a"), ["/messages/*/content/*"]],
])("no answer is read for a request with %s", async (_which, json, volatile) => {
  const { ids, exchanges, read } = setUp();
  const all = { ...options, volatile: [...options.volatile, ...volatile] };
  expect(ids.read(exchanges, provider, asked(json), all)).toBeUndefined();
  expect(ids.match(exchanges, provider, asked(json), all)).toBeNull();
  expect(read).toEqual([]);
});

it("answers to equal requests are read once, without blocking", async () => {
  const { ids, exchanges, read } = setUp();
  const request = asked(nextOf(answers[1] as Json, "b"));
  const reading = [1, 2].map(() => ids.read(exchanges, provider, request, options));
  expect(read).toEqual([]);
  await Promise.all(reading);
  expect(read).toEqual(answers);
  expect(ids.read(exchanges, provider, request, options)).toBeUndefined();
});

it("a request whose ids no answer issued is not matched again", async () => {
  const { ids, exchanges } = setUp();
  const request = asked(
    nextOf(answerOf({ text: "", calls: [{ id: "c", name: "get_forecast", input: {} }] }, "c"), "c"),
  );
  await ids.read(exchanges, provider, request, options);
  expect(ids.match(exchanges, provider, request, options)).toBeNull();
});
