import { createHash, randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DecryptionError,
  decryptText,
  encryptedPrefix,
  encryptText,
  requireEncryptionKeys,
} from "#lib/platform/encryption";
import { AppError, NotConfiguredError } from "#lib/platform/errors";
import { codePoint } from "#tests/support/code-point";

const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
const [first, second] = [randomBytes(32), randomBytes(32)];

describe("an encrypted text", () => {
  it("is decrypted with whichever key encrypted it", () => {
    fc.assert(
      fc.property(key, key, fc.string({ unit: codePoint }), fc.string(), (one, other, text, boundTo) => {
        fc.pre(!Buffer.from(one).equals(other));
        const encrypted = encryptText([one], text, boundTo);
        expect(encrypted).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]{22,}$/);
        const expected = Buffer.from(text, "utf8").toString("utf8");
        expect(decryptText([other, one], encrypted, boundTo)).toBe(expected);
        expect(() => decryptText([other], encrypted, boundTo)).toThrow(DecryptionError);
      }),
    );
  });

  it("names its key by the first 8 hex digits of the key's SHA-256", () => {
    const id = createHash("sha256").update(first).digest("hex").slice(0, 8);
    expect(encryptedPrefix(first)).toBe(`v1.${id}.`);
    expect(encryptText([first, second], "a", "b").startsWith(`v1.${id}.`)).toBe(true);
  });

  it("is rejected if it was changed or belongs to another purpose", () => {
    const encrypted = encryptText([first], "a secret", "row 1");
    expect(() => decryptText([first], encrypted, "row 2")).toThrow(DecryptionError);
    const [version, id, nonce, sealed] = encrypted.split(".") as [string, string, string, string];
    const flip = (text: string) => `${text[0] === "A" ? "B" : "A"}${text.slice(1)}`;
    const changed = [
      ["v2", id, nonce, sealed],
      [version, id, flip(nonce), sealed],
      [version, id, nonce, flip(sealed)],
      [version, id, nonce, sealed.slice(0, -4)],
      [version, id, nonce, ""],
      [version, id, "", sealed],
      [version, id, nonce, sealed, "more"],
      [""],
    ].map((parts) => parts.join("."));
    for (const text of changed) expect(() => decryptText([first], text, "row 1")).toThrow(DecryptionError);
  });

  it("is not included in errors", () => {
    const encrypted = encryptText([first], "a secret", "row");
    for (const keys of [[second], [first]]) {
      try {
        decryptText(keys, encrypted, "other");
        expect.unreachable();
      } catch (error) {
        expect(String(error)).not.toContain(encrypted.split(".")[3]);
      }
    }
  });
});

it("without keys the error says which variable to set, to the operator alone", () => {
  expect(requireEncryptionKeys).toThrow(AppError);
  expect(requireEncryptionKeys).toThrow(/^This server cannot store secrets/);
  expect(requireEncryptionKeys).toThrow(
    expect.objectContaining({ cause: new NotConfiguredError("ENCRYPTION_KEYS is not set") }),
  );
});
