import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RecordingProxy, readConfig } from "#lib/replay/recording-proxy/index";
import { protocols } from "#tests/support/conversation-protocols";
import { ask, streamAnswer } from "#tests/support/tape-conversations";
import { setUpProxy } from "#tests/support/tape-proxy";

const protocol = protocols.anthropic;
const answer = streamAnswer(protocol, protocol.answerOf({ text: "Sunscreen.", calls: [] }, "a1"));
const random = ["q7Rk2", "mZ9xV", "b4Lp8", "Tn3Wd", "6hYc1"].join("");
const prompt = `The token that our robot has (a new one) ${random}`;

const tapes = setUpProxy();
const files = async () => {
  const folder = join(tapes.folder, "tapes", "packs");
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
};
const send = (text = prompt) => tapes.send(protocol, "packs", protocol.requestOf(text));

/** That it is not stored otherwise is tested in run-command. */
test("an exchange that may have a secret is stored if the text is allowed, or masked", async () => {
  await tapes.serve(answer);
  let proxy = await tapes.start("auto", { allow: [random] });
  await send();
  expect((await proxy.end("packs"))?.recorded).toBe(1);
  expect((await files()).join()).toContain(random);
  proxy = await tapes.start("record", { redact: [random] });
  await send();
  expect((await proxy.end("packs"))?.recorded).toBe(1);
  expect((await files()).join()).not.toContain(random);
});

test("the values of variables for secrets are masked, and short ones and others are not", async () => {
  const { origin } = await tapes.serve(answer);
  const variables = { DB_PASSWORD: "correct horse battery", APP_TOKEN: "twelve chars", APP_NAME: "a name of an app" };
  const environment = { ANTHROPIC_BASE_URL: origin, ...variables };
  const proxy = await RecordingProxy.start({ config: await readConfig(tapes.folder), mode: "auto", environment });
  const said = Object.values(variables).join(", ");
  await ask(protocol, proxy.urlOf("packs"), protocol.requestOf(said));
  await proxy.stop();
  expect((await files()).join()).toContain(said.replace(variables.DB_PASSWORD, "*".repeat(21)));
});
