import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { readConfig } from "#lib/replay/recording-proxy/index";
import { openBrowser } from "#tests/support/chromium";
import { protocols, question } from "#tests/support/conversation-protocols";
import { itExtended } from "#tests/support/extended";
import { listen } from "#tests/support/listen";
import { streamAnswer } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const chat = protocols.chat;
const page = "http://localhost:5173";
const tapes = setUpProxy();
const answer = streamAnswer(chat, chat.answerOf({ text: "Sunscreen.", calls: [] }, "r1"));

/** Sends a request as a browser does for a page on this machine. */
const ask = (origin: string, init: RequestInit = {}) =>
  fetch(`${tapes.proxy.origin}/openai/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify(chat.requestOf(question)),
    ...init,
    headers: { ...init.headers, origin, "sec-fetch-site": "same-site" },
  });
const preflight = (origin: string) => {
  const headers = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" };
  return ask(origin, { method: "OPTIONS", body: null, headers });
};
const allowed = (response: Response) => response.headers.get("access-control-allow-origin");

it("a page of a named origin records and replays, misses included, and others are told how to be named", async () => {
  const server = await tapes.serve((response, request) => {
    response.setHeader("access-control-allow-origin", "https://provider.example");
    return answer(response, request);
  });
  for (const mode of ["auto", "replay"] as const) {
    const told: string[] = [];
    await tapes.start(mode, { origins: [page] }, (text) => void told.push(text));
    const preflighted = await preflight(page);
    expect([preflighted.status, allowed(preflighted)]).toEqual([204, page]);
    expect(preflighted.headers.get("access-control-allow-headers")).toBe("authorization");
    const received = await ask(page);
    expect([received.status, allowed(received)]).toEqual([200, page]);
    expect(await received.text()).toContain("Sunscreen.");
    for (const refused of [await ask("http://localhost:5174"), await preflight("http://localhost:5174")]) {
      expect([refused.status, allowed(refused)]).toEqual([403, null]);
      expect(await refused.text()).toContain(
        'or permit the page: add \\"http://localhost:5174\\" to \\"origins\\" in tapedeck.config.json.',
      );
    }
    const socket = new WebSocket(`${tapes.proxy.origin}/openai/v1/realtime`, { origin: "https://page.example" });
    await once(socket, "error");
    expect(told.pop()).toContain('add "https://page.example" to "origins"');
    // Once: the page cannot read why.
    expect(told).toEqual([expect.stringContaining('add "http://localhost:5174" to "origins"')]);
  }
  const missed = await ask(page);
  expect([missed.status, allowed(missed)]).toEqual([424, page]);
  const controlled = await fetch(`${tapes.proxy.origin}/t/packs/__tapedeck/report`, {
    method: "POST",
    headers: { origin: page },
  });
  expect(controlled.status).toBe(403);
  expect(server.requests).toHaveLength(1);
});

it.each(["http://localhost:5173/", "localhost:5173", "*", "null"])("%s is no origin", async (origin) => {
  await writeFile(join(tapes.folder, "tapedeck.config.json"), JSON.stringify({ origins: [origin] }));
  await expect(readConfig(tapes.folder)).rejects.toThrow("origins.0: must be an origin such as http://localhost:5173");
});

itExtended("a browser lets a page of a named origin read the answer", async () => {
  await tapes.serve(answer);
  const site = createServer((_request, response) => void response.setHeader("content-type", "text/html").end("<p>"));
  const port = await listen(site);
  onTestFinished(() => void site.close());
  const { origin } = await tapes.start("auto", { origins: [`http://127.0.0.1:${port}`] });
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const opened = await browser.newPage();
  await opened.goto(`http://127.0.0.1:${port}`);
  const read = await opened.evaluate(
    async ([url = "", body = ""]) => {
      const headers = { authorization: "Bearer any", "content-type": "application/json" };
      const response = await fetch(url, { method: "POST", headers, body });
      return [response.headers.get("x-tapedeck"), await response.text()];
    },
    [`${origin}/openai/v1/chat/completions`, JSON.stringify(chat.requestOf(question))],
  );
  expect(read).toEqual(["recorded", expect.stringContaining("Sunscreen.")]);
});

it("a change of the configuration is told while the proxy runs", async () => {
  const path = join(tapes.folder, "tapedeck.config.json");
  await writeFile(path, "{}");
  const told: string[] = [];
  await tapes.start("auto", {}, (text) => void told.push(text));
  await writeFile(path, '{ "speed": "recorded" }');
  await expect.poll(() => told).toEqual(["tapedeck.config.json has changed. Start the command again to use it."]);
});
