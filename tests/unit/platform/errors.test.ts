import { describe, expect, it, vi } from "vitest";
import { AppError } from "#lib/platform/errors";

describe("an AppError", () => {
  it("is known across copies of its module, which the bundler makes; other errors are not taken for one", async () => {
    vi.resetModules();
    const copy = await import("#lib/platform/errors");
    expect(copy.AppError).not.toBe(AppError);
    expect(new copy.AppError("not_found", "x") instanceof AppError).toBe(true);
    for (const other of [new Error("x"), null, "AppError", { code: "not_found" }]) {
      expect((other as unknown) instanceof AppError).toBe(false);
    }
  });
});
