import { describe, expect, inject, it } from "vitest";
import { withPage } from "#tests/support/browser";

describe("an EventSource in a real browser", () => {
  it("receives every event with ids=1 and stops at the end", async () => {
    const url = `${inject("baseUrl")}/api/v1/replay/small-business/multilingual-guest-replies?speed=100`;
    const plain = await (await fetch(url)).text();
    const expected = [...plain.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data);
    await withPage({}, async (page) => {
      await page.goto(`${inject("baseUrl")}/robots.txt`);
      const received = await page.evaluate(
        (address) =>
          new Promise<string[]>((settle) => {
            const data: string[] = [];
            const source = new EventSource(address);
            for (const type of [
              "message_start",
              "ping",
              "content_block_start",
              "content_block_delta",
              "content_block_stop",
              "message_delta",
              "message_stop",
            ]) {
              source.addEventListener(type, (event) => data.push((event as MessageEvent).data));
            }
            // After the last event the browser reconnects once and gets 204, which closes the EventSource.
            source.addEventListener("error", () => {
              if (source.readyState === EventSource.CLOSED) settle(data);
            });
          }),
        `${url}&ids=1`,
      );
      expect(received).toEqual(expected);
    });
  });
});
