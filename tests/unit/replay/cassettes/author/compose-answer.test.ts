import { expect, it } from "vitest";
import { composeAnswer, readRecordingEvents } from "#lib/replay/cassettes/index";
import { providers } from "#lib/replay/providers/index";

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
