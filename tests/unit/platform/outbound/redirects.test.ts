import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { guardedFetch, type OutboundOptions } from "#lib/platform/outbound/index";
import { startTestVendors, type TestVendor, type TestVendors } from "#tests/support/test-vendors";
import { bytes, file, redirect, redirectChain, redirectLoop } from "#tests/support/vendor-answers";

let testVendors: TestVendors;
let first: TestVendor;
let second: TestVendor;
beforeAll(async () => {
  testVendors = await startTestVendors({ vendorCount: 3 });
  [first, second] = testVendors.vendors as [TestVendor, TestVendor];
});
afterAll(() => testVendors.close());
beforeEach(() => {
  testVendors.clearRequests();
  for (const { slug } of testVendors.vendors) testVendors.setAnswer(slug, file());
});

/** The third vendor is not in `allowedHosts`, so it acts as a private address. */
const get = (url: string, options: OutboundOptions = {}) =>
  guardedFetch(url, { allowedHosts: [first.host, second.host], ...options });

describe("redirects", () => {
  it("are followed at most five times", async () => {
    testVendors.setAnswer(first.slug, redirectChain(5));
    const answer = await get(first.url);
    expect(answer).toMatchObject({ status: 200, url: `${first.origin}/hop/5`, requestCount: 6 });
    testVendors.setAnswer(first.slug, redirectChain(6));
    await expect(get(first.url)).rejects.toMatchObject({ reason: "too_many_redirects", requestCount: 6 });
  });

  it("in a loop fail when a URL repeats", async () => {
    testVendors.setAnswer(first.slug, redirectLoop);
    await expect(get(first.url)).rejects.toMatchObject({ reason: "redirect_loop", requestCount: 2 });
    expect(testVendors.requests.length).toBe(2);
  });

  it("are returned as responses with `maxRedirects: 0`", async () => {
    testVendors.setAnswer(first.slug, redirect("http://10.0.0.1/", 307));
    const answer = await get(first.url, { maxRedirects: 0 });
    expect(answer).toMatchObject({ status: 307, headers: { location: "http://10.0.0.1/" }, requestCount: 1 });
  });

  it("without a location header are returned as responses", async () => {
    testVendors.setAnswer(first.slug, ({ response }) => {
      response.writeHead(302).end("nowhere");
    });
    expect(await get(first.url)).toMatchObject({ status: 302, requestCount: 1 });
  });

  it.each([
    ["refused_address", () => testVendors.vendors[2]?.url ?? ""],
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
    testVendors.setAnswer(first.slug, redirect(target()));
    await expect(get(first.url)).rejects.toMatchObject({ reason, requestCount: 1 });
    expect(testVendors.requests.map(({ slug }) => slug)).toEqual([first.slug]);
  });
});

describe("a redirected request", () => {
  const headers = {
    Authorization: "Bearer hunter2",
    Cookie: "session=hunter2",
    "X-Api-Key": "hunter2",
    "Proxy-Authorization": "Basic hunter2",
    "User-Agent": "Test/1",
    "If-None-Match": '"v9"',
  };

  it("keeps all headers within one origin", async () => {
    testVendors.setAnswer(first.slug, redirectChain(1));
    await get(first.url, { headers });
    expect(testVendors.requests[1]?.headers).toMatchObject({ authorization: "Bearer hunter2", "x-api-key": "hunter2" });
  });

  it("drops headers that may be secret at another origin, even when redirected back", async () => {
    testVendors.setAnswer(first.slug, ({ path, ...visit }) =>
      (path === "/llms.txt" ? redirect(second.url) : file())({ path, ...visit }),
    );
    testVendors.setAnswer(second.slug, redirect(`${first.origin}/back`));
    await get(first.url, { headers });
    expect(testVendors.requests.map(({ slug }) => slug)).toEqual([first.slug, second.slug, first.slug]);
    for (const { headers: received } of testVendors.requests.slice(1)) {
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
  ])("for a POST that gets %i uses the method %s", async (code, method, body) => {
    let received = "";
    testVendors.setAnswer(first.slug, redirect(second.url, code));
    testVendors.setAnswer(second.slug, async (visit) => {
      for await (const part of visit.request) received += part;
      bytes("done")(visit);
    });
    await get(first.url, { method: "POST", body: "data", headers: { "content-type": "text/x-test" } });
    expect([testVendors.requests[1]?.method, received]).toEqual([method, body]);
    expect(testVendors.requests[1]?.headers["content-type"]).toBe(method === "POST" ? "text/x-test" : undefined);
  });
});

describe("aroundHop", () => {
  it("is called for each hop and can refuse it before anything is sent", async () => {
    testVendors.setAnswer(first.slug, redirect(second.url));
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
    expect(testVendors.requests.length).toBe(1);
  });
});
