import { describe, expect, inject, it } from "vitest";
import { withPage } from "#tests/support/browser";

describe("an EventSource in a real browser", () => {
  it.each(["", "&fault=cut-after-event=60"])(
    "receives every event with ids=1%s and stops at the end",
    async (fault) => {
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
              const blocks = ["start", "delta", "stop"].flatMap((part) => [`message_${part}`, `content_block_${part}`]);
              for (const type of ["ping", ...blocks])
                source.addEventListener(type, (event) => data.push((event as MessageEvent).data));
              // After the last event the browser reconnects once and gets 204, which closes the EventSource.
              source.addEventListener("error", () => {
                if (source.readyState === EventSource.CLOSED) settle(data);
              });
            }),
          `${url}&ids=1${fault}`,
        );
        expect(received).toEqual(expected);
      });
    },
  );
});
