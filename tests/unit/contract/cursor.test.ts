import { describe, expect, it } from "vitest";
import { countPosition, cursorSchema, idPosition, readCursor, slugPosition, writeCursor } from "#lib/contract/cursor";
import { withRecoveryHint } from "#lib/contract/tool";
import { AppError } from "#lib/platform/errors";

describe("a cursor", () => {
  it("returns its position for the arguments that it was written for, and is opaque", () => {
    const cursor = writeCursor('list {"q":"ä"}', "acme/1");
    expect(cursorSchema.parse(cursor)).toMatch(/^[\w-]+$/);
    expect(cursor).not.toContain("acme");
    expect(readCursor(cursor, { scope: 'list {"q":"ä"}', form: slugPosition })).toBe("acme/1");
    expect(readCursor(undefined, { scope: "list", form: slugPosition })).toBeNull();
  });

  it.each([writeCursor("other", "1"), writeCursor("list", "-1"), writeCursor("list", ""), "nonsense", "!", "AAAA"])(
    "is rejected if it is %s",
    (cursor) => {
      const read = () => readCursor(cursor, { scope: "list", form: countPosition });
      expect(read).toThrow(AppError);
      expect(read).toThrow("Call again without it");
    },
  );
});

describe("positions", () => {
  it("match ids, slugs or counts and nothing else", () => {
    const id = "019aa5d0-3c20-7e41-8b5a-0f1e2d3c4b5a";
    expect([idPosition.test(id), idPosition.test(`${id}0`), idPosition.test("")]).toEqual([true, false, false]);
    expect([slugPosition.test("legal/nda-1"), slugPosition.test("a'b")]).toEqual([true, false]);
    expect([countPosition.test("12"), countPosition.test("1e9"), countPosition.test("-1")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("recovery hints", () => {
  it("replace the message of errors with their code and leave other errors alone", async () => {
    const notFound = Promise.reject(new AppError("not_found", "GET /x"));
    await expect(withRecoveryHint(notFound, { not_found: "Call x." })).rejects.toMatchObject({
      code: "not_found",
      message: "Call x.",
    });
    const conflict = new AppError("conflict", "GET /x");
    await expect(withRecoveryHint(Promise.reject(conflict), { not_found: "Call x." })).rejects.toBe(conflict);
    const failure = new Error("broken");
    await expect(withRecoveryHint(Promise.reject(failure), { not_found: "Call x." })).rejects.toBe(failure);
    expect(await withRecoveryHint(Promise.resolve(1), {})).toBe(1);
  });
});
