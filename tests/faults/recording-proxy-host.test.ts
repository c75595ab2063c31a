import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { RecordingProxy, readConfig } from "#lib/replay/recording-proxy/index";
import { protocols, question } from "#tests/support/conversation-protocols";
import { startProvider } from "#tests/support/provider-double";
import { ask, streamAnswer, turnAnswers } from "#tests/support/tape-conversations";

it("an upstream that is named as host and port, as Ollama's usually is, is recorded", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-host-"));
  const protocol = protocols.ollama;
  const server = await startProvider(streamAnswer(protocol, turnAnswers(protocol)[0] ?? {}));
  const environment = { OLLAMA_HOST: new URL(server.origin).host };
  const proxy = await RecordingProxy.start({ config: await readConfig(folder), mode: "auto", environment });
  expect((await ask(protocol, proxy.urlOf("t"), protocol.requestOf(question))).status).toBe(200);
  expect(await proxy.stop()).toMatchObject([{ recorded: 1, notes: [] }]);
  await server.close();
  await rm(folder, { recursive: true });
});
