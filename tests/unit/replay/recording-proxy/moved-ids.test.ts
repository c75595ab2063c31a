import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { MovedIds } from "#lib/replay/recording-proxy/moved-ids";

const bodyOf = (...texts: readonly string[]) => ({ body: { json: { texts: [...texts] } } });
const [recorded, other] = [randomUUID(), randomUUID()];

/** Returns the UUIDs that stand in an answer for those of a recorded request. */
function play(ids: MovedIds, was: readonly string[], now: readonly string[], answer = was): string[] {
  const find = ids.learn(bodyOf(...was), bodyOf(...now));
  return answer.map((text) => find?.(text)[0]?.text ?? text);
}

test("an answer that plays again has the UUIDs of the request that gets it, and others none of two", () => {
  const ids = new MovedIds();
  const [first, second] = [randomUUID(), randomUUID()];
  expect(play(ids, [recorded], [first])).toEqual([first]);
  expect(play(ids, [], [], [recorded])).toEqual([first]);
  expect(play(ids, [recorded], [second])).toEqual([second]);
  expect(play(ids, [], [], [recorded])).toEqual([recorded]);
});

test("a UUID that a request has as it was recorded stays in its answer, whatever requests before it had", () => {
  const ids = new MovedIds();
  const now = randomUUID();
  expect(play(ids, [recorded, other], [now, other])).toEqual([now, other]);
  expect(play(ids, [recorded], [recorded])).toEqual([recorded]);
  expect(play(ids, ["none"], ["none"], [recorded])).toEqual([now]);
});

test("a temporary path stands for the one in its place, but not for a longer name, nor for one of two", () => {
  const ids = new MovedIds();
  const [was, now] = ["/tmp/pytest-of-root/pytest-33", "/tmp/pytest-of-root/pytest-34/popen-gw1"];
  expect(
    play(
      ids,
      [`${was}/a.txt, /tmp/x-${recorded}.`],
      [`${now}/a.txt, /tmp/x-${other}.`],
      [`${was}/b.txt`, `${was}0/b.txt`, `See /tmp/x-${recorded}.`, recorded],
    ),
  ).toEqual([now, `${was}0/b.txt`, `/tmp/x-${other}`, other]);
  expect(play(ids, ["/tmp/one /tmp/one"], ["/tmp/two /tmp/three"], ["/tmp/one"])).toEqual(["/tmp/one"]);
});
