import { describe, expect, it } from "vitest";
import { guardedFetch } from "#lib/platform/outbound/index";
import { setUpVendor } from "#tests/support/outbound-vendor";
import { startTestVendors, type TestVendor } from "#tests/support/test-vendors";
import * as answers from "#tests/support/vendor-answers";

const { vendor, requests, setAnswer, get, refusal } = setUpVendor();
const textOf = (body: Uint8Array) => Buffer.from(body).toString();

describe("a connection", () => {
  it.each([
    ["cut", "that ends in the body", answers.cutInBody],
    ["cut", "that ends at once", answers.cutAtOnce],
  ])("gives %s where it is one %s", async (reason, _what, answer) => {
    setAnswer(answer);
    expect(await refusal()).toBe(reason);
  });

  it("gives bad_answer where it does not speak HTTP", async () => {
    setAnswer(({ request }) => {
      request.socket.end("SSH-2.0-OpenSSH_9.2\r\n");
    });
    expect(await refusal()).toBe("bad_answer");
  });

  it("gives connect_failed where nobody listens", async () => {
    const gone = await startTestVendors({ vendorCount: 1 });
    await gone.close();
    const [{ url }] = gone.vendors as [TestVendor];
    await expect(guardedFetch(url, { allowedHosts: gone.allowedHosts })).rejects.toMatchObject({
      reason: "connect_failed",
      requestCount: 1,
    });
  });

  it("gives tls_failed where https is spoken to a server that has none", async () => {
    const url = vendor().url.replace("http:", "https:");
    const error = await guardedFetch(url, { allowedHosts: [vendor().host] }).catch((thrown) => thrown);
    expect(error).toMatchObject({ reason: "tls_failed", message: expect.stringContaining(vendor().host) });
  });

  it("is closed after each answer, also where the body is left or has no end", async () => {
    const endless = answers.endless(Buffer.alloc(65_536));
    const endlessRedirect: answers.VendorAnswer = ({ response }) => {
      response.writeHead(302, { location: "file:///" }).write("a body that never ends");
    };
    const cases = [[answers.file()], [endless], [endlessRedirect], [endless, { wantsBody: () => false }]] as const;
    for (const [answer, options] of cases) {
      const { opened: closed, open: tell } = answers.latch();
      setAnswer((visit) => {
        visit.request.socket.on("close", tell);
        return answer(visit);
      });
      await refusal(options);
      await closed;
    }
  });
});

describe("a request", () => {
  it("carries what it is given", async () => {
    let received = "";
    setAnswer(async (visit) => {
      for await (const part of visit.request) received += part;
      answers.status(202, {}, "thanks")(visit);
    });
    const answer = await get({ method: "POST", body: Buffer.from("a body"), headers: { "x-test": "1" } });
    expect([answer.status, textOf(answer.body), received]).toEqual([202, "thanks", "a body"]);
    expect(requests()[0]).toMatchObject({ method: "POST", headers: { "x-test": "1", "content-length": "6" } });
  });

  it("asks for the path and the query, never the fragment", async () => {
    setAnswer(answers.file());
    const { url } = await guardedFetch(`${vendor().origin}/a b?c=d e#secret`, { allowedHosts: [vendor().host] });
    expect(requests()[0]?.path).toBe("/a%20b?c=d%20e");
    expect(url).toBe(`${vendor().origin}/a%20b?c=d%20e#secret`);
  });

  it("cannot smuggle a second one in its headers", async () => {
    await expect(get({ headers: { "x-test": "1\r\nHost: other" } })).rejects.toThrow("invalid x-test header");
    expect(requests().length).toBe(0);
  });
});
