import { createServer } from "node:http";
import { afterEach, expect, it, vi } from "vitest";
import { handlerBeforeNext } from "#lib/server/http/node-server";
import { newNonce } from "#lib/server/http/page-headers";
import { listen } from "#tests/support/listen";

/** Renders the first page that is asked for when it is called. */
let renderFirst: (() => void) | undefined;
let renderedCount = 0;

const handler = handlerBeforeNext([]);
const server = createServer((request, response) =>
  handler(request, response, () => {
    const render = () => {
      renderedCount += 1;
      response.setHeader("Content-Type", "text/html");
      response.setHeader("Content-Security-Policy", `script-src 'nonce-${newNonce()}'`);
      response.end("a page");
    };
    if (renderFirst) render();
    else renderFirst = render;
  }),
);
const port = await listen(server);
afterEach(() => vi.useRealTimers());

it("requests that wait for a page get it once it was rendered for the first of them", async () => {
  // However long the first takes, it counts as being rendered.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let arrivedCount = 0;
  server.on("request", () => {
    arrivedCount += 1;
  });
  const headers = { accept: "text/html" };
  const read = async () => (await fetch(`http://127.0.0.1:${port}/docs/replay`, { headers })).text();
  const texts = [1, 2, 3, 4].map(read);
  await expect.poll(() => arrivedCount).toBe(4);
  renderFirst?.();
  expect(await Promise.all(texts)).toEqual(Array(4).fill("a page"));
  expect(renderedCount).toBe(1);
});
