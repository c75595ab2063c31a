import { describe, expect, it, vi } from "vitest";
import { AppError } from "#lib/platform/errors";

describe("an AppError", () => {
  it("passes `instanceof` across copies of its module, which bundlers create; other values do not", async () => {
    vi.resetModules();
    const copy = await import("#lib/platform/errors");
    expect(copy.AppError).not.toBe(AppError);
    expect(new copy.AppError("not_found", "x") instanceof AppError).toBe(true);
    for (const other of [new Error("x"), null, "AppError", { code: "not_found" }]) {
      expect((other as unknown) instanceof AppError).toBe(false);
    }
  });
});
