import { describe, expect, test } from "vitest";
import { emailSchema } from "#lib/contract/mail-links";

describe("the address of a mail", () => {
  test.each([
    [" you@example.com\n", "you@example.com"],
    ["user@bücher.example", "user@xn--bcher-kva.example"],
    ["user@почта.рф", "user@xn--80a1acny.xn--p1ai"],
    ["user+tag@xn--bcher-kva.example", "user+tag@xn--bcher-kva.example"],
  ])("%j is read as %s", (given, read) => {
    expect(emailSchema.parse(given)).toBe(read);
  });

  test.each([
    "",
    "you",
    "you@localhost",
    "Ü@example.com",
    "a@b@example.com",
    "You <you@example.com>",
    "you@a b.example",
    "a@é .de",
    1,
  ])("%j is refused", (given) => {
    expect(emailSchema.safeParse(given).error?.issues[0]?.message).toBe("must be one e-mail address, without a name");
  });

  test("has at most 254 characters, counted in ASCII", () => {
    const label = "é".repeat(40);
    expect(emailSchema.safeParse(`you@${Array(6).fill(label).join(".")}.example`).success).toBe(false);
    expect(emailSchema.safeParse(`${"a".repeat(300)}@example.com`).error?.issues[0]?.message).toContain("254");
  });
});
