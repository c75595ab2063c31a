import { readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LoopbackServer, readBody, sendJson } from "#tests/support/loopback-server";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";

class Everything extends LoopbackServer {
  protected async handle(request: IncomingMessage, response: ServerResponse) {
    await readBody(request);
    sendJson(response, 200, { host: request.headers.host });
  }
}

/** Patches sockets as MSW 3 and nock 15 do: is offered each connection, mocks that of one host, and passes the others on. */
const program = `
const [http, net, tls] = [require("node:http"), require("node:net"), require("node:tls")];
const { addRequest } = http.Agent.prototype;
const { connect } = net.Socket.prototype;
const offered = [];
let isPassing = false;
globalThis.__MSW_INTERNAL_CONNECTION_CONTEXT = { consume: () => false };
http.Agent.prototype.addRequest = function (...args) { return addRequest.apply(this, args); };
net.Socket.prototype.connect = function (...args) {
  const [options] = args.flat();
  if (isPassing) return connect.apply(this, args);
  offered.push(options.host + ":" + options.port);
  if (options.host === "mocked.example.com") return connect.call(this, { host: "127.0.0.1", port: Number(process.argv[2]) });
  if (!(this instanceof tls.TLSSocket)) return connect.apply(this, args);
  isPassing = true;
  const socket = tls.connect(options);
  isPassing = false;
  socket.write("GET /v1/models HTTP/1.1\\r\\nhost: api.openai.com\\r\\nconnection: close\\r\\n\\r\\n");
  socket.once("data", (data) => console.log("passed on", String(data).split(" ")[1], offered.join()));
  return this;
};
const get = (url) => new Promise((resolve, reject) => http.get(url, (response) => response.resume().on("end", () => resolve(response.statusCode))).on("error", reject));
(async () => {
  console.log("mocked", await get("http://mocked.example.com/"));
  console.log("plain", await get("http://api.openai.com/v1/models?plain"));
  tls.connect({ host: "api.openai.com", port: 443, servername: "api.openai.com" });
})();
`;

it("a library that mocks sockets gets connections with their own place, and passes them on to the recorder", async () => {
  const folder = temporaryFolder();
  const [mock, provider] = [await new Everything().start(), await new Everything().start()];
  const config = { addresses: { "api.openai.com": provider.origin } };
  await writeFile(join(folder, "tapedeck.config.json"), JSON.stringify(config));
  await writeFile(join(folder, "mocks.cjs"), program);
  const command = ["sh", "-c", `${process.execPath} mocks.cjs ${mock.port} > printed.txt`];
  const environment = { CI: undefined };
  const run = await runCommand(["run", "--strict", "--", ...command], { cwd: folder, environment });
  expect(await readFile(join(folder, "printed.txt"), "utf8")).toBe(
    "mocked 200\nplain 200\npassed on 200 mocked.example.com:80,api.openai.com:80,api.openai.com:443\n",
  );
  expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining("2 recorded, 0 missed") });
});
