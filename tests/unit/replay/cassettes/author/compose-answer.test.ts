import { expect, it } from "vitest";
import { composeAnswer, readRecordingEvents } from "#lib/replay/cassettes/index";
import { providers, requireProvider } from "#lib/replay/providers/index";

const request = { messages: [{ role: "user", content: "In Lisbon?" }], stream: false };
const said = { thinking: "Rain?", text: "A coat.", toolCalls: [{ name: "look", input: { city: "Lisbon" } }] };

it.each(providers)("a hand-written answer is a stream of $name, at the pace of a model", (provider) => {
  const compose = (seed: number) => composeAnswer(provider, said, { request, model: "m-1", seed });
  const { body, error, isEnded } = provider.fold(readRecordingEvents(compose(1)));
  const answer = provider.readAnswer(body ?? {});
  expect({ error, isEnded, model: answer.model }).toEqual({ error: null, isEnded: true, model: "m-1" });
  const parts = answer.parts.filter(({ kind }) => kind !== "thinking");
  expect(parts).toMatchObject([
    { kind: "text", text: said.text },
    { kind: "tool", name: "look", input: JSON.stringify({ city: "Lisbon" }) },
  ]);
  expect(Object.values(answer.usage)).toContainEqual(expect.any(Number));
  // The same answer has the same ids, and the next one has others.
  expect(compose(1)).toEqual(compose(1));
  expect(provider.readAnswer(provider.fold(readRecordingEvents(compose(2))).body ?? {}).ids).not.toEqual(answer.ids);
  const { dueMs } = compose(1);
  expect(dueMs.at(-1)).toBeGreaterThan(dueMs[0] ?? 0);
  expect([...dueMs]).toEqual([...dueMs].sort((a, b) => a - b));
});

const fields = "messages input contents include tools reasoning stream_options system".split(" ");
const odd = [null, 5, "x", {}, [null], [[null]], [{ content: null }], [{ content: [null] }]];

it.each(providers)("an answer of $name to a request with odd fields is whole", (provider) => {
  for (const field of fields) {
    for (const value of odd) {
      const request = { messages: [], [field]: value };
      const recording = composeAnswer(provider, said, { request, model: "m-1", seed: 1 });
      expect([field, value, readRecordingEvents(recording).length > 0]).toEqual([field, value, true]);
    }
  }
});

it("only the first texts of a very long request are counted", () => {
  const request = { messages: [{ role: "user", content: "word ".repeat(1_000_000) }] };
  const recording = composeAnswer(requireProvider("anthropic"), said, { request, model: "m-1", seed: 1 });
  const start = readRecordingEvents(recording)[0]?.json as { message: { usage: { input_tokens: number } } };
  expect(start.message.usage.input_tokens).toBeLessThan(100_000);
});
