import { expect, it } from "vitest";
import { describeDifference, findDifferences } from "#lib/platform/json-difference";

it.each(["toString", "constructor", "__proto__", "hasOwnProperty"])(
  "a member named %s differs as any other",
  (name) => {
    const withMember = JSON.parse(`{"a":1,"${name}":true}`);
    const lines = (before: unknown, after: unknown) => findDifferences(before, after).map(describeDifference);
    expect(lines({ a: 1 }, withMember)).toEqual([`/${name} is new: true`]);
    expect(lines(withMember, { a: 1 })).toEqual([`/${name} is missing; it was true`]);
    expect(lines(withMember, JSON.parse(`{"a":1,"${name}":false}`))).toEqual([`/${name} was true and is now false`]);
  },
);
