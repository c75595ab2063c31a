import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type CallFault, faultSchema } from "#lib/replay/recording-proxy/proxy-faults";
import type { CallFault as PublicFault } from "#lib/testing/types";

/** Each accepts the other, so that both have the same members with the same types. */
type Same<A, B> = [A, B] extends [B, A] ? true : never;
const isSame: Same<Required<CallFault>, Required<PublicFault>> = true;

const names = Object.keys(faultSchema.shape);
const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

it("the fixtures of JavaScript and Python and the docs have the same faults", () => {
  const python = readFileSync("lib/testing/python/src/tapedeck_testing/faults.py", "utf8");
  const members = [...python.matchAll(/^ {4}(\w+): [\w, [\]]+$/gm)].map(([, name]) => name);
  expect([isSame, members.toSorted()]).toEqual([true, names.map(snakeCase).toSorted()]);
  const docs = readFileSync("content/docs/testing-reference.md", "utf8");
  expect(names.filter((name) => !docs.includes(name))).toEqual([]);
});
