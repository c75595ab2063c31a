import { expect, test } from "vitest";
import { systemIds } from "#lib/platform/ids";

test("ids are version 7 UUIDs that sort in the order of their creation", () => {
  const ids = Array.from({ length: 20_000 }, () => systemIds.next());
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Math.abs(Number.parseInt((ids[0] as string).replace("-", "").slice(0, 12), 16) - Date.now())).toBeLessThan(
    60_000,
  );
});
