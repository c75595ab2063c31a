import fc from "fast-check";
import { expect, test } from "vitest";
import { redact } from "#lib/replay/cassettes/recorder/index";

const key = "sk-ant-api03-Used0000Used1111Used2222Used3333Used4444-AA";
/** Its end is a secret, unless it is opaque. */
const encoded = `${"QmFzZTY0".repeat(3)}AKIAIOSFODNN7EXAMPLE`;
const word = fc.constantFrom("x", "hunter22x", "password", "signature", key, encoded);
const text = fc.oneof(
  word,
  fc.tuple(word, word).map((words) => words.join(": ")),
);
const members = fc.dictionary(text, text, { maxKeys: 3 });
const bodies = fc.array(members, { maxLength: 20, size: "max" });

type Terms = { secrets: string[]; allowed: string[] };
const terms: Terms[] = [
  { secrets: [], allowed: [] },
  { secrets: ["hunter22x"], allowed: [] },
  { secrets: [], allowed: ["Used2222"] },
];

/** Number of terms that were not searched for before. */
let count = 0;

test("what was searched before is redacted as if it had not been", () => {
  const find = (item: unknown, { secrets, allowed }: Terms) =>
    redact({ body: { item }, headers: {}, chunks: [] }, secrets, { allowed });
  const findApart = (item: unknown, { secrets, allowed }: Terms) => {
    count += 1;
    const absent = `no text has this: ${count}`;
    return find(item, { secrets: [...secrets, absent], allowed: [...allowed, absent] });
  };
  fc.assert(
    fc.property(bodies, (items) => {
      const apart = terms.map((each) => items.map((item) => findApart(item, each)));
      expect(terms.map((each) => items.map((item) => find(item, each)))).toEqual(apart);
    }),
    { numRuns: 300 },
  );
});
