import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { tokenHeader } from "#lib/replay/recording-proxy/index";
import { openBrowser } from "#tests/support/chromium";
import { itExtended } from "#tests/support/extended";
import { listen } from "#tests/support/listen";
import { setUpProxy } from "#tests/support/tape-proxy";

const tapes = setUpProxy();

beforeEach(async () => {
  const server = await tapes.serve((response) => void response.end("{}"));
  const upstreams = { gateway: { url: `${server.origin}/llm/v1`, provider: "openai-chat" } };
  await tapes.start("auto", { upstreams });
});
/** What is refused reaches no upstream and starts no test. */
afterEach(async () => {
  expect(tapes.server.requests).toEqual([]);
  expect(await tapes.proxy.stop()).toEqual([]);
  expect(await readdir(tapes.folder)).toEqual([]);
});

/** Sends a request as it is: `fetch` would normalize the path and choose the headers. */
async function ask(path: string, headers: Record<string, string> = {}, method = "GET") {
  const request = httpRequest(tapes.proxy.origin, { path, method, headers: { connection: "close", ...headers } });
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return [response.statusCode, JSON.parse(await text(response)).error];
}

it.each<[string, Record<string, string>, RegExp]>([
  [
    "with another origin",
    { origin: "https://example.com" },
    /not web pages \(origin: https:.*"https:\/\/example.com" to "origins"/,
  ],
  ["of a sandboxed frame", { origin: "null" }, /not web pages \(origin: null\).*add its origin/],
  ["under another name", { host: "rebound.example:80" }, /programs on this machine only/],
  ["for an image", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }, /not web pages/],
  ["of another port", { "sec-fetch-site": "same-site" }, /not web pages \(sec-fetch-site: same-site\)/],
])("requests of web pages are refused: %s", async (_name, headers, message) => {
  for (const path of ["/anthropic/v1/models", "/t/packs/__tapedeck/end"])
    expect(await ask(path, headers)).toEqual([403, expect.stringMatching(message)]);
});

it("a CORS preflight is refused, also of a page on this machine, and is told the way to go", async () => {
  const headers = { origin: "http://localhost:3000", "access-control-request-method": "POST" };
  const message =
    /not web pages \(a CORS preflight\)\. Let the page call a server of your app, and that server the proxy; or permit/;
  for (const path of ["/openai/v1/chat/completions", "/t/packs/anthropic/v1/messages"])
    expect(await ask(path, headers, "OPTIONS")).toEqual([403, expect.stringMatching(message)]);
});

itExtended(
  "a browser's own requests of a page for an image, a script, a frame and without CORS are refused",
  async () => {
    const { origin } = tapes.proxy;
    const html = `<img src="${origin}/anthropic/v1/models"><script src="${origin}/openai/v1/models"></script>
    <iframe src="${origin}/gemini/v1beta/models"></iframe>
    <script>for (const method of ["GET", "POST"])
      fetch("${origin}/t/packs/__tapedeck/end", { method, mode: "no-cors" });</script>`;
    const site = createServer((_request, response) => void response.setHeader("content-type", "text/html").end(html));
    const port = await listen(site);
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const settled: string[] = [];
      const note = (request: { url: () => string }) => {
        if (request.url().startsWith(origin)) settled.push(request.url());
      };
      // Chromium blocks what is no image and no script without telling its status.
      page.on("requestfinished", note).on("requestfailed", note);
      await page.goto(`http://127.0.0.1:${port}`);
      await expect.poll(() => settled.length).toBe(5);
    } finally {
      await browser.close();
    }
  },
);

it.each(["begin", "end", "requests", "report", "other"])("%s needs POST and the token of the run", async (action) => {
  const path = `/t/packs/__tapedeck/${action}`;
  const { token } = tapes.proxy;
  expect(await ask(path, { [tokenHeader]: token })).toEqual([405, "Control the proxy with POST."]);
  const error = "Send the run's token, that of TAPEDECK_TOKEN, in the header x-tapedeck-token.";
  for (const sent of ["", token.slice(1), `${token}x`, `${token.slice(1)}é`])
    expect(await ask(path, { [tokenHeader]: sent }, "POST")).toEqual([403, error]);
  expect(await ask(path, {}, "POST")).toEqual([403, error]);
});

it.each([
  "..",
  ".",
  "%2e%2e",
  ".%2E",
  "..%2fadmin",
  "a%2f..%2fadmin",
  "..\\admin",
  "a%5c..%5cadmin",
  "a\\b",
  "%252e%252e",
  "%25252e%25252e%25252fadmin",
])("a path that leads out of the upstream's base URL is refused: %s", async (part) => {
  for (const path of [`/gateway/${part}/keys`, `/t/packs/gateway/v1/${part}`, `/${part}/gateway/models`])
    expect(await ask(path, {}, "POST")).toEqual([400, expect.stringContaining('a part "." or ".."')]);
});

it("names of tests may have any characters; unknown upstreams are named, and the proxy goes on", async () => {
  expect(await ask("/t/%zz/anthropic/v1/messages")).toEqual([
    400,
    "The name of the test in the URL is not encoded correctly.",
  ]);
  expect(await ask("/t/a%2F..%2Fb%5Cc/other/v1/models%2Fx")).toEqual([
    404,
    'There is no upstream "other". The proxy has /anthropic, /openai, /gemini, /ollama, /gateway.',
  ]);
});
