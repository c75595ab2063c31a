import { describe, expect, inject, it } from "vitest";
import { keySubject, maxManagedPerMinute } from "#lib/accounts/limits/index";
import { adapters } from "#tests/support/adapters";
import { besideBusyProcesses } from "#tests/support/busy-processes";
import { isExtended } from "#tests/support/extended";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { bearer, countRequest, expectExactLimit, remainingOf } from "#tests/support/limits";
import { readStream } from "#tests/support/read-stream";

describe("the daily limit", () => {
  it(`allows exactly 100 of 200${isExtended ? ", and of 1,000 on a busy machine," : ""} on two instances`, async () => {
    const origins = adapters.map(([, origin]) => origin());
    const { key } = await issueKey("free");
    if (isExtended) await besideBusyProcesses(4, () => expectExactLimit(origins, { requestCount: 1_000, key }));
    const refused = await expectExactLimit(origins, { requestCount: 200, key: (await issueKey("free")).key });
    for (const { headers, body } of refused) {
      expect(headers).toMatchObject({ "x-ratelimit-limit": "100", "x-ratelimit-remaining": "0" });
      const waitMs = Number(headers["x-ratelimit-reset"]) * 1000 - Date.now();
      expect(Math.abs(waitMs / 1000 - Number(headers["retry-after"]))).toBeLessThan(30);
      expect(JSON.parse(body.toString())).toMatchObject({ code: "rate_limited", status: 429 });
    }
  });

  it("counts a client without a key by its address, whatever headers it sends", async () => {
    const said = ["198.51.100.1", "198.51.100.2", "198.51.100.3, 198.51.100.4", "2001:db8::1"];
    const first = remainingOf(await countRequest(inject("baseUrl"), {}));
    const answers = [];
    for (const address of said) answers.push(await countRequest(inject("baseUrl"), { "x-forwarded-for": address }));
    const left = answers.map(remainingOf);
    for (const [index, remaining] of left.entries())
      expect(remaining).toBeLessThan(index === 0 ? first : (left[index - 1] as number));
  });

  it("stores no address, only its hash", async () => {
    await countRequest(inject("baseUrl"), {});
    const windows = await withAppDatabase((database) => database.limitWindow.findMany());
    expect(windows.length).toBeGreaterThan(0);
    for (const { subject } of windows)
      expect(subject).toMatch(
        /^(?:(?:checkout:\d{1,2}|(?:vendors|sends|manages):\d+|mail):)?((?:key|account):[0-9a-f-]{36}|address:[\w-]{22})$|^mail:[\w-]{22}$/,
      );
  });

  it("lets an account at its limit manage its keys, a few times a minute, but not rotate them", async () => {
    const { key, stored } = await issueKey("free");
    const subject = keySubject(stored.limitId);
    const send = (method: string, path: string) =>
      readStream(`${inject("baseUrl")}/api/v1/keys${path}`, { method, headers: bearer(key) });
    await withAppDatabase((database) =>
      database.limitWindow.create({
        data: { subject, day: new Date(new Date().toISOString().slice(0, 10)), count: 100 },
      }),
    );
    const detail = await send("GET", "");
    expect([detail.status, detail.headers["x-ratelimit-remaining"]]).toEqual([200, "0"]);
    expect((await send("DELETE", "/previous")).status).toBe(200);
    expect((await send("POST", "/rotate")).status).toBe(429);
    const answers = [];
    // Two minutes of the clock can share them.
    for (let index = 0; index <= 2 * maxManagedPerMinute; index += 1) answers.push(await send("GET", "/account"));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(maxManagedPerMinute - 2);
    for (const { headers } of refused) expect(Number(headers["retry-after"])).toBeLessThanOrEqual(60);
  });
});
