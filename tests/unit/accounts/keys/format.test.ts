import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateKey, hashKey, isWellFormedKey } from "#lib/accounts/keys/create-key";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const position = fc.integer({ min: "ltf_".length, max: 41 });
const replaceAt = (key: string, at: number, text: string) => key.slice(0, at) + text + key.slice(at + text.length);

describe("a key", () => {
  test("is ltf_, 32 random characters, and a checksum of six", () => {
    const keys = Array.from({ length: 200 }, generateKey);
    for (const key of keys)
      expect([key, isWellFormedKey(key)]).toEqual([expect.stringMatching(/^ltf_[0-9A-Za-z]{38}$/), true]);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(keys.flatMap((key) => [...key.slice(4, 36)])).size).toBe(alphabet.length);
  });

  test.each([
    "ltf_000000000000000000000000000000004NW1lu",
    "ltf_TapedeckTapedeckTapedeckTapedeck43OJzT",
    "ltf_zZ9zZ9zZ9zZ9zZ9zZ9zZ9zZ9zZ9zZ9aB4gVdSh",
  ])("ends with the base62 CRC-32 of the rest, as other implementations compute it: %s", (key) => {
    expect(isWellFormedKey(key)).toBe(true);
  });

  test("is invalid with a wrong character, two swapped ones, or a missing end", () => {
    fc.assert(
      fc.property(position, fc.constantFrom(...alphabet), (at, character) => {
        const key = generateKey();
        expect(isWellFormedKey(replaceAt(key, at, character))).toBe(key[at] === character);
        const [first, second] = [key[at - 1] as string, key[at] as string];
        const isSame = first === second || at === "ltf_".length;
        if (!isSame) expect(isWellFormedKey(replaceAt(key, at - 1, `${second}${first}`))).toBe(false);
        expect(isWellFormedKey(key.slice(0, at))).toBe(false);
        expect(isWellFormedKey(`${key}${character}`)).toBe(false);
      }),
    );
  });

  test.each(["", "ltf_", "LTF_000000000000000000000000000000004NW1lu", " ltf_000000000000000000000000000000004NW1lu"])(
    "is not %j",
    (text) => expect(isWellFormedKey(text)).toBe(false),
  );

  test("is stored as its SHA-256", () => {
    expect(hashKey("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});
