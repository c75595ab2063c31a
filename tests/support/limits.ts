import { expect } from "vitest";
import { readStream } from "./read-stream";

/** Sends a request that is counted and then refused for its query, so the key is not rotated. */
export function countRequest(origin: string, headers: Record<string, string>) {
  // Not the address of the other tests, whose requests without a key may use up its limit.
  return readStream(`${origin}/api/v1/keys/rotate?grace=no`, { method: "POST", headers, localAddress: "127.0.0.14" });
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Returns the requests that were left, by the response's header. */
export const remainingOf = ({ headers }: { headers: Record<string, unknown> }) =>
  Number(headers["x-ratelimit-remaining"]);

/** Expects that of concurrent requests with a free key to several instances exactly 100 pass. Returns the refusals. */
export async function expectExactLimit(
  origins: string[],
  { requestCount, key }: { requestCount: number; key: string },
) {
  const answers = await Promise.all(
    Array.from({ length: requestCount }, (_, index) =>
      countRequest(origins[index % origins.length] as string, bearer(key)),
    ),
  );
  const passed = answers.filter(({ status }) => status === 400);
  const refused = answers.filter(({ status }) => status === 429);
  const others = answers.filter((answer) => !passed.includes(answer) && !refused.includes(answer));
  expect(others.map(({ status, body }) => `${status} ${body.toString()}`)).toEqual([]);
  expect([passed.length, refused.length]).toEqual([100, requestCount - 100]);
  expect(passed.map(remainingOf).sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  return refused;
}
