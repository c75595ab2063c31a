import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import http2 from "node:http2";
import { connect, isIP, type Socket } from "node:net";
import tls, { type TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { CertificateAuthority, Interceptor } from "#lib/replay/interception/index";
import { listen } from "#tests/support/listen";

/** Starts a proxy that answers each request with its host. */
async function startInterceptor() {
  const untrusted: string[] = [];
  const interceptor = new Interceptor(new CertificateAuthority(), {
    request: ({ host }, _request, response) => response.end(host),
    upgrade: () => undefined,
    bypass: () => null,
    isRequired: async () => true,
    unused: (host, _process, isUntrusted) => isUntrusted && untrusted.push(host),
  });
  const server = createServer().on("connect", (request, socket, head) =>
    interceptor.take(request, socket as Socket, head),
  );
  const port = await listen(server);
  onTestFinished(() => interceptor.close());
  return { interceptor, port, untrusted };
}

type Proxy = Awaited<ReturnType<typeof startInterceptor>>;

/** Opens a TLS connection to a host through the proxy. */
async function open({ interceptor, port }: Proxy, host: string, options: tls.ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\nx-tapedeck-silent: 1\r\n\r\n`);
  const servername = isIP(host) ? "" : host;
  const client = tls.connect({ socket, host, servername, ca: interceptor.certificate, ...options });
  onTestFinished(() => void client.destroy());
  await once(client, "secureConnect");
  return client;
}

async function ask(host: string, socket: TLSSocket): Promise<string> {
  const session = http2.connect(`https://${host}`, { createConnection: () => socket });
  let text = "";
  for await (const chunk of session.request({ ":path": "/" })) text += chunk;
  return text;
}

it("HTTP/2 is negotiated with a client that is asked for another key share", async () => {
  const proxy = await startInterceptor();
  // OpenSSL sends the share of the first group, and its servers prefer the second, which it has from 3.5.
  const ecdhCurve = Number.parseFloat(process.versions.openssl) < 3.5 ? "P-256" : "P-256:X25519MLKEM768";
  for (const host of ["a.example", "b.example"]) {
    const socket = await open(proxy, host, { ecdhCurve, ALPNProtocols: ["h2"] });
    expect(socket.alpnProtocol).toBe("h2");
    expect(await ask(host, socket)).toBe(host);
  }
});

it("the certificate of a host is made once, and that of an address serves a client that names no host", async () => {
  const proxy = await startInterceptor();
  const serialOf = async (host: string) => (await open(proxy, host, {})).getPeerX509Certificate()?.serialNumber;
  const one = await serialOf("a.example");
  expect(await serialOf("a.example")).toBe(one);
  expect(await serialOf("b.example")).not.toBe(one);
  expect(await serialOf("192.0.2.1")).toBeDefined();
});

it("a client that does not trust the certificate is reported with its host and port", async () => {
  const { port, untrusted } = await startInterceptor();
  // Node.js ends such a connection without an alert.
  const curl = (url: string) => promisify(execFile)("curl", ["--proxy", `http://127.0.0.1:${port}`, url]);
  for (const url of ["https://a.example:8443", "https://192.0.2.1"]) await expect(curl(url)).rejects.toThrow("60");
  await expect.poll(() => untrusted).toEqual(["a.example:8443", "192.0.2.1"]);
});
