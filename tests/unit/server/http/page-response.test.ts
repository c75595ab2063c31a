import { createServer, type RequestListener } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { setPageStatus, trackPageResponses, withPageResponse } from "#lib/server/http/page-response";
import { listen } from "#tests/support/listen";

const serve = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}`;

describe("setPageStatus", () => {
  it("returns false outside of a request", () => {
    expect(setPageStatus(404)).toBe(false);
  });

  it("sets status and headers of the response in whose context it is called, also later", async () => {
    const origin = await serve((_request, response) =>
      withPageResponse(response, async () => {
        await delay(1);
        response.end(String(setPageStatus(503, { "Retry-After": "5" })));
      }),
    );
    const answer = await fetch(origin);
    expect([answer.status, answer.headers.get("retry-after"), await answer.text()]).toEqual([503, "5", "true"]);
  });

  it("applies to the own response if another request's context started the page", async () => {
    const waiting: (() => void)[] = [];
    const origin = await serve((request, response) => {
      const render = () =>
        withPageResponse(response, () => {
          if (request.url === "/missing") setPageStatus(404);
          response.end();
        });
      waiting.push(render);
      if (waiting.length === 2) for (const start of waiting) start();
    });
    const answers = await Promise.all([fetch(`${origin}/found`), fetch(`${origin}/missing`)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404]);
  });

  it("returns false once the headers are sent", async () => {
    const origin = await serve((_request, response) =>
      withPageResponse(response, () => {
        response.flushHeaders();
        response.end(String(setPageStatus(404)));
      }),
    );
    const answer = await fetch(origin);
    expect([answer.status, await answer.text()]).toEqual([200, "false"]);
  });
});

describe("trackPageResponses", () => {
  it("makes it apply to each request of any server, also on one connection", async () => {
    trackPageResponses();
    const origin = await serve(async (request, response) => {
      await delay(1);
      if (request.url !== "/200") setPageStatus(Number(request.url?.slice(1)));
      response.end();
    });
    const statuses: number[] = [];
    for (const status of [404, 200, 503, 200]) {
      const answer = await fetch(`${origin}/${status}`);
      await answer.text();
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([404, 200, 503, 200]);
  });
});
