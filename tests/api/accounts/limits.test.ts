import { describe, expect, inject, it } from "vitest";
import { adapters } from "#tests/support/adapters";
import { besideBusyProcesses } from "#tests/support/busy-processes";
import { isExtended } from "#tests/support/extended";
import { issueKey, withAppDatabase } from "#tests/support/keys";
import { countRequest, expectExactLimit, remainingOf } from "#tests/support/limits";

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
        /^(?:(?:checkout:\d{1,2}|(?:vendors|sends):\d+|mail):)?((?:key|account):[0-9a-f-]{36}|address:[\w-]{22})$|^mail:[\w-]{22}$/,
      );
  });
});
