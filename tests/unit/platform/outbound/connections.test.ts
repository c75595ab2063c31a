import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { Connections, guardedFetch } from "#lib/platform/outbound/index";
import { deferred } from "#tests/support/deferred";
import { setUpVendor } from "#tests/support/outbound-vendor";
import { startTestVendors, type TestVendor } from "#tests/support/test-vendors";
import * as answers from "#tests/support/vendor-answers";

const { vendor, requests, setAnswer, get, refusal } = setUpVendor();
const textOf = (body: Uint8Array) => Buffer.from(body).toString();

describe("a connection", () => {
  it.each([
    ["cut", "closes in the middle of the body", answers.cutInBody],
    ["cut", "closes without an answer", answers.cutAtOnce],
  ])("fails with %s if the connection %s", async (reason, _what, answer) => {
    setAnswer(answer);
    expect(await refusal()).toBe(reason);
  });

  it("fails with bad_answer if the server does not speak HTTP", async () => {
    setAnswer(({ request }) => {
      request.socket.end("SSH-2.0-OpenSSH_9.2\r\n");
    });
    expect(await refusal()).toBe("bad_answer");
  });

  it("fails with connect_failed if no server is listening", async () => {
    const gone = await startTestVendors({ vendorCount: 1 });
    await gone.close();
    const [{ url }] = gone.vendors as [TestVendor];
    await expect(guardedFetch(url, { allowedHosts: gone.allowedHosts })).rejects.toMatchObject({
      reason: "connect_failed",
      requestCount: 1,
    });
  });

  it("fails with tls_failed for an https URL of a server without TLS", async () => {
    const url = vendor().url.replace("http:", "https:");
    const error = await guardedFetch(url, { allowedHosts: [vendor().host] }).catch((thrown) => thrown);
    expect(error).toMatchObject({ reason: "tls_failed", message: expect.stringContaining(vendor().host) });
  });

  it("is closed after each answer, even if the body is unread or endless", async () => {
    const endless = answers.endless(Buffer.alloc(65_536));
    const endlessRedirect: answers.VendorAnswer = ({ response }) => {
      response.writeHead(302, { location: "file:///" }).write("a body that never ends");
    };
    const cases = [[answers.file()], [endless], [endlessRedirect], [endless, { wantsBody: () => false }]] as const;
    for (const [answer, options] of cases) {
      const closed = deferred();
      setAnswer((visit) => {
        visit.request.socket.on("close", () => closed.resolve());
        return answer(visit);
      });
      await refusal(options);
      await closed.promise;
    }
  });
});

describe("kept connections", () => {
  /** Answers as given, and counts the connections of the requests. */
  function countConnections(answer: answers.VendorAnswer) {
    const sockets = new Set<Socket>();
    setAnswer((visit) => {
      sockets.add(visit.request.socket);
      return answer(visit);
    });
    return sockets;
  }

  it("serve the next request to the same origin, and are closed with the others", async () => {
    const sockets = countConnections(answers.file());
    const connections = new Connections();
    for (let count = 0; count < 3; count++) expect((await get({ connections })).status).toBe(200);
    expect(sockets.size).toBe(1);
    const [socket] = sockets;
    expect(socket?.destroyed).toBe(false);
    const closed = once(socket!, "close");
    await connections.close();
    await closed;
  });

  it("are one for each request that is sent meanwhile", async () => {
    const sockets = countConnections(answers.file());
    const connections = new Connections();
    await Promise.all([get({ connections }), get({ connections })]);
    await connections.close();
    expect(sockets.size).toBe(2);
  });

  it("are not used after a body that was not read to its end", async () => {
    const sockets = countConnections(answers.file());
    const connections = new Connections();
    for (let count = 0; count < 2; count++) await get({ connections, wantsBody: () => false });
    await connections.close();
    expect(sockets.size).toBe(2);
  });

  it("that the server closes are replaced", async () => {
    const file = answers.file();
    const sockets = countConnections((visit) => {
      visit.response.once("finish", () => visit.request.socket.end());
      return file(visit);
    });
    const connections = new Connections();
    for (let count = 0; count < 2; count++) {
      expect((await get({ connections })).status).toBe(200);
      await vi.waitFor(() => expect([...sockets].at(-1)?.destroyed).toBe(true));
    }
    await connections.close();
    expect(sockets.size).toBe(2);
  });
});

describe("a request", () => {
  it("sends the given method, headers and body", async () => {
    let received = "";
    setAnswer(async (visit) => {
      for await (const part of visit.request) received += part;
      answers.status(202, {}, "thanks")(visit);
    });
    const answer = await get({ method: "POST", body: Buffer.from("a body"), headers: { "x-test": "1" } });
    expect([answer.status, textOf(answer.body), received]).toEqual([202, "thanks", "a body"]);
    expect(requests()[0]).toMatchObject({ method: "POST", headers: { "x-test": "1", "content-length": "6" } });
  });

  it("sends the path and the query, never the fragment", async () => {
    setAnswer(answers.file());
    const { url } = await guardedFetch(`${vendor().origin}/a b?c=d e#secret`, { allowedHosts: [vendor().host] });
    expect(requests()[0]?.path).toBe("/a%20b?c=d%20e");
    expect(url).toBe(`${vendor().origin}/a%20b?c=d%20e#secret`);
  });

  it("cannot smuggle a second request in its headers", async () => {
    await expect(get({ headers: { "x-test": "1\r\nHost: other" } })).rejects.toThrow("invalid x-test header");
    expect(requests().length).toBe(0);
  });
});
