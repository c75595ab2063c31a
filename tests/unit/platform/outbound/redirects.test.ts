import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { guardedFetch, type OutboundOptions } from "#lib/platform/outbound/index";
import { startTestVendors, type TestVendor, type TestVendors } from "#tests/support/test-vendors";
import { bytes, file, redirect, redirectChain, redirectLoop } from "#tests/support/vendor-answers";

let world: TestVendors;
let first: TestVendor;
let second: TestVendor;
beforeAll(async () => {
  world = await startTestVendors({ vendorCount: 3 });
  [first, second] = world.vendors as [TestVendor, TestVendor];
});
afterAll(() => world.close());
beforeEach(() => {
  world.clearRequests();
  for (const { slug } of world.vendors) world.setAnswer(slug, file());
});

/** The third vendor is no exempt one: it stands for a private address. */
const get = (url: string, options: OutboundOptions = {}) =>
  guardedFetch(url, { allowedHosts: [first.host, second.host], ...options });

describe("redirects", () => {
  it("are followed five times and no further", async () => {
    world.setAnswer(first.slug, redirectChain(5));
    const answer = await get(first.url);
    expect(answer).toMatchObject({ status: 200, url: `${first.origin}/hop/5`, requestCount: 6 });
    world.setAnswer(first.slug, redirectChain(6));
    await expect(get(first.url)).rejects.toMatchObject({ reason: "too_many_redirects", requestCount: 6 });
  });

  it("in a circle end where the circle closes", async () => {
    world.setAnswer(first.slug, redirectLoop);
    await expect(get(first.url)).rejects.toMatchObject({ reason: "redirect_loop", requestCount: 2 });
    expect(world.requests.length).toBe(2);
  });

  it("are given as they are where none is followed", async () => {
    world.setAnswer(first.slug, redirect("http://10.0.0.1/", 307));
    const answer = await get(first.url, { maxRedirects: 0 });
    expect(answer).toMatchObject({ status: 307, headers: { location: "http://10.0.0.1/" }, requestCount: 1 });
  });

  it("without a target are answers", async () => {
    world.setAnswer(first.slug, ({ response }) => {
      response.writeHead(302).end("nowhere");
    });
    expect(await get(first.url)).toMatchObject({ status: 302, requestCount: 1 });
  });

  it.each([
    ["refused_address", () => world.vendors[2]?.url ?? ""],
    ["refused_address", () => "http://127.1:1/"],
    ["refused_address", () => "//2130706433/"],
    ["refused_address", () => "http://169.254.169.254/latest/meta-data"],
    ["refused_address", () => "http://[::ffff:10.0.0.1]/"],
    ["refused_address", () => "http://metadata.google.internal/"],
    ["invalid_url", () => "file:///etc/passwd"],
    ["invalid_url", () => "data:text/plain,x"],
    ["invalid_url", () => second.url.replace("://", "://user:secret@")],
    ["invalid_url", () => "http://"],
  ])("are checked like the first URL: %s, case %#", async (reason, target) => {
    world.setAnswer(first.slug, redirect(target()));
    await expect(get(first.url)).rejects.toMatchObject({ reason, requestCount: 1 });
    expect(world.requests.map(({ slug }) => slug)).toEqual([first.slug]);
  });
});

describe("what a redirect passes on", () => {
  const headers = {
    Authorization: "Bearer hunter2",
    Cookie: "session=hunter2",
    "X-Api-Key": "hunter2",
    "Proxy-Authorization": "Basic hunter2",
    "User-Agent": "Test/1",
    "If-None-Match": '"v9"',
  };

  it("is everything within an origin", async () => {
    world.setAnswer(first.slug, redirectChain(1));
    await get(first.url, { headers });
    expect(world.requests[1]?.headers).toMatchObject({ authorization: "Bearer hunter2", "x-api-key": "hunter2" });
  });

  it("is nothing that may be secret to another origin, nor back to the first", async () => {
    world.setAnswer(first.slug, ({ path, ...visit }) =>
      (path === "/llms.txt" ? redirect(second.url) : file())({ path, ...visit }),
    );
    world.setAnswer(second.slug, redirect(`${first.origin}/back`));
    await get(first.url, { headers });
    expect(world.requests.map(({ slug }) => slug)).toEqual([first.slug, second.slug, first.slug]);
    for (const { headers: received } of world.requests.slice(1)) {
      expect(JSON.stringify(received)).not.toContain("hunter2");
      expect(received).toMatchObject({ "user-agent": "Test/1", "if-none-match": '"v9"' });
    }
  });

  it.each([
    [301, "GET", ""],
    [302, "GET", ""],
    [303, "GET", ""],
    [307, "POST", "data"],
    [308, "POST", "data"],
  ])("of a POST, after %i, is a %s", async (code, method, body) => {
    let received = "";
    world.setAnswer(first.slug, redirect(second.url, code));
    world.setAnswer(second.slug, async (visit) => {
      for await (const part of visit.request) received += part;
      bytes("done")(visit);
    });
    await get(first.url, { method: "POST", body: "data", headers: { "content-type": "text/x-test" } });
    expect([world.requests[1]?.method, received]).toEqual([method, body]);
    expect(world.requests[1]?.headers["content-type"]).toBe(method === "POST" ? "text/x-test" : undefined);
  });
});

describe("what surrounds a hop", () => {
  it("sees each one and may refuse it before anything is sent", async () => {
    world.setAnswer(first.slug, redirect(second.url));
    const hops: string[] = [];
    const refuse = new Error("not there");
    const running = get(first.url, {
      aroundHop: (url, send) => {
        hops.push(url.href);
        return url.host === second.host ? Promise.reject(refuse) : send();
      },
    });
    await expect(running).rejects.toBe(refuse);
    expect(hops).toEqual([first.url, second.url]);
    expect(world.requests.length).toBe(1);
  });
});
