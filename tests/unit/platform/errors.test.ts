import { expect, it } from "vitest";
import { AppError } from "#lib/platform/errors";

it("an AppError passes `instanceof` across copies of its module, which bundlers create; other values do not", async () => {
  const file = new URL("../../../lib/platform/errors.ts?copy", import.meta.url).href;
  const copy = (await import(file)) as typeof import("#lib/platform/errors");
  expect(copy.AppError).not.toBe(AppError);
  expect(new copy.AppError("not_found", "x") instanceof AppError).toBe(true);
  for (const other of [new Error("x"), null, "AppError", { code: "not_found" }])
    expect((other as unknown) instanceof AppError).toBe(false);
});
