import pLimit from "p-limit";
import { expect } from "vitest";
import { readStream } from "./read-stream";

/** Sends a request that is counted and then refused for its query, so the key is not rotated. */
export function countRequest(origin: string, headers: Record<string, string>, onSent?: () => void) {
  // Not the address of the other tests, whose requests without a key may use up its limit.
  const localAddress = "127.0.0.14";
  return readStream(`${origin}/api/v1/keys/rotate?grace=no`, {
    method: "POST",
    headers,
    localAddress,
    ...(onSent && { onSent }),
  });
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Returns the requests that were left, by the response's header. */
export const remainingOf = ({ headers }: { headers: Record<string, unknown> }) =>
  Number(headers["x-ratelimit-remaining"]);

/**
 * Maximum connections whose request this process has not sent yet. A server answers 408 to a connection that sends nothing
 * for ten seconds, which is what a busy machine can take to send a thousand requests.
 */
const maxUnsent = 50;

/** Expects that of concurrent requests with a free key to several instances exactly 100 pass. Returns the refusals. */
export async function expectExactLimit(
  origins: string[],
  { requestCount, key }: { requestCount: number; key: string },
) {
  const sending = pLimit(maxUnsent);
  const send = async (origin: string) => {
    let answer: ReturnType<typeof countRequest> | undefined;
    await sending(() => {
      return new Promise<void>((sent, reject) => {
        answer = countRequest(origin, bearer(key), sent);
        answer.catch(reject);
      });
    });
    return answer as ReturnType<typeof countRequest>;
  };
  const answers = await Promise.all(
    Array.from({ length: requestCount }, (_, index) => send(origins[index % origins.length] as string)),
  );
  const passed = answers.filter(({ status }) => status === 400);
  const refused = answers.filter(({ status }) => status === 429);
  const others = answers.filter((answer) => !passed.includes(answer) && !refused.includes(answer));
  expect(others.map(({ status, body }) => `${status} ${body.toString()}`)).toEqual([]);
  expect([passed.length, refused.length]).toEqual([100, requestCount - 100]);
  expect(passed.map(remainingOf).sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  return refused;
}
