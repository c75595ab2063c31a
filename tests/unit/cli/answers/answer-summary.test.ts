import { expect, it } from "vitest";
import { type AnswerSummary, summarizeAnswer, sumText } from "#lib/cli/answers/answer-summary";
import { pairLines } from "#lib/cli/answers/recorded-answers";
import { bundledModels } from "#lib/models/index";
import { requireProvider } from "#lib/replay/providers/index";
import { protocols } from "#tests/support/conversation-protocols";

const tokens = { input: 10, output: 5, cache_read: 0, cache_write: 0 };
const answer = (change: Partial<AnswerSummary> = {}): AnswerSummary => ({
  ...{ model: "m", status: 200, stop_reason: "stop", text: "Hello.", tokens, usd: 0.5 },
  ...change,
});
const pair = (before: AnswerSummary | null, after: AnswerSummary | null) => ({ test: "t", file: "001", before, after });

it("costs are summed over the pairs whose costs are known", () => {
  const unknown = answer({ usd: null });
  expect(sumText([pair(answer(), answer({ usd: 1 })), pair(answer(), unknown), pair(unknown, answer())])).toBe(
    "cost $0.50 → $1.00 (without 2 whose cost is not known)",
  );
  expect(sumText([pair(answer(), null), pair(null, answer({ usd: 2 }))])).toBe("cost $0.50 → $2.00");
  expect(sumText([pair(unknown, answer())])).toBe("cost not known");
});

it("lists both answers of each pair, below the name of the test", () => {
  const long = answer({ text: `${"word ".repeat(20)}\u001b[2J`, tokens: null, usd: null });
  expect(pairLines([pair(answer(), answer()), pair(long, null)])).toEqual([
    "t",
    "  001  m",
    "    old  Hello.  10 tokens in, 5 out, $0.50",
    "    new  the same  10 tokens in, 5 out, $0.50",
    "  001  m",
    `    old  ${"word ".repeat(14)}wo…  no usage reported`,
    "    new  none",
  ]);
});

it("an answer is its text and calls, without thinking; an error its body", () => {
  const provider = requireProvider("openai-chat");
  const call = { id: "call_1", name: "get_forecast", input: { city: "Lisbon" } };
  const summarize = (status: number, body: unknown) => {
    const chunks = [{ deltaMs: 0, bytes: Buffer.from(JSON.stringify(body)) }];
    const response = { status, headers: { "content-type": "application/json" }, chunks };
    return summarizeAnswer(provider, response, { model: "my-model", host: undefined }, bundledModels(new Date()));
  };
  expect(summarize(200, protocols.chat.answerOf({ text: "Let me look.", calls: [call] }, "a1"))).toEqual({
    ...{ model: "my-model", status: 200, stop_reason: "tool_calls", usd: null },
    text: 'Let me look.\n\n[calls get_forecast] {"city":"Lisbon"}',
    tokens: { input: 40, output: 12, cache_read: 0, cache_write: 0 },
  });
  expect(summarize(404, { error: { message: "No such model." } })).toMatchObject({
    ...{ status: 404, tokens: null, usd: null },
    text: expect.stringContaining("No such model."),
  });
});
