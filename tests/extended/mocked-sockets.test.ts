import { copyFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { socketMocks } from "#tests/support/clients/client-list";
import { type Installed, installPackages, nodeOf } from "#tests/support/clients/install-packages";
import { LoopbackServer, readBody, sendJson } from "#tests/support/loopback-server";
import { startCli } from "#tests/support/run-cli";

class Everything extends LoopbackServer {
  protected async handle(request: IncomingMessage, response: ServerResponse) {
    await readBody(request);
    sendJson(response, 200, { mocked: false });
  }
}

let installed: Installed;
beforeAll(() => {
  installed = installPackages(socketMocks);
}, 600_000);
afterAll(() => installed?.remove());

const versions = ["22", "24"].flatMap((version) => ["msw", "nock"].map((library) => ({ version, library })));

it.each(versions)("mocks of $library win on Node.js $version, and what they pass on is recorded", async (each) => {
  const { folder } = installed;
  const tapes = `tapes-${each.library}-${each.version}`;
  const server = await new Everything().start();
  const config = { addresses: { "api.openai.com": server.origin } };
  writeFileSync(join(folder, "tapedeck.config.json"), JSON.stringify(config));
  // Node.js finds packages from the folder of the program.
  copyFileSync(resolve("tests/support/clients/mocked-sockets.mjs"), join(folder, "mocked-sockets.mjs"));
  const run = async (mode: string) => {
    const command = [nodeOf(each.version), "mocked-sockets.mjs", each.library];
    const args = ["run", "--tapes", tapes, "--mode", mode, "--strict", "--", ...command];
    const cli = startCli(args, { cwd: folder, environment: { CI: undefined } });
    const code = await cli.ended;
    return { code, stderr: cli.stderr(), lines: cli.stdout().trim().split("\n") };
  };
  const recorded = await run("auto");
  expect(recorded).toMatchObject({ code: 0, stderr: expect.stringContaining("4 recorded, 0 missed") });
  const [mocked, model] = ['{"mocked":true}', 'model {"mocked":false}'];
  const lines = [
    ...[`fetch http://mocked.example.com ${mocked}`, `fetch https://mocked.example.com ${mocked}`],
    ...[`http ${mocked}`, `https ${mocked}`, model, model, model, model],
  ];
  expect(recorded.lines).toEqual(lines);
  expect(recorded.stderr).not.toContain("certificate");
  await server.close();
  const replayed = await run("replay");
  expect(replayed).toMatchObject({ code: 0, stderr: expect.stringContaining("4 played, 0 recorded, 0 missed") });
  expect(replayed.lines).toEqual(lines);
});
