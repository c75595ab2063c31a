import { vi } from "vitest";

/** Repeats `check` until it no longer throws, and returns its value. Waits as long as `expect.poll`, because machines can be slow. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 120_000, interval: 20 });
}
