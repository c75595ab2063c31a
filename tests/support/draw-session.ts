import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { bareEnvironment } from "./clients/install-packages";
import { protocols } from "./conversation-protocols";
import { type ProviderDouble, startProvider, streamOf } from "./provider-double";
import { escapeXml, terminalSvg } from "./terminal-svg";

/**
 * Draws public/readme/test-suite.svg, the README's picture of a test suite that is recorded and replayed: the output of
 * commands that this script runs, in a project with the package, against a stand-in for the provider. Run it with
 * `npx tsx tests/support/draw-session.ts`.
 */
const root = resolve(import.meta.dirname, "../..");
const columns = 104;
const charWidth = 7.83;
const lineHeight = 19;
/** Space above a command that follows output. */
const gap = 12;
const left = 20;
const top = 52;
/** Wait of the stand-in before each piece of an answer, in milliseconds. */
const pieceDelayMs = 150;

const files = {
  "package.json": JSON.stringify({
    name: "trip",
    private: true,
    type: "module",
    scripts: { test: "node --test --test-reporter=./reporter.js" },
  }),
  ".npmrc": "loglevel=silent\nupdate-notifier=false\n",
  "trip.js": `
export async function ask(client, question) {
  const messages = [{ role: "user", content: question }];
  const stream = await client.chat.completions.create({ model: "gpt-5-mini", stream: true, messages });
  let text = "";
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  return text;
}
export const pack = (client) => ask(client, "What should I pack for Lisbon?");
export const eat = (client) => ask(client, "Where should I eat?");
export const greet = (client) => ask(client, "How do I say good morning?");
`,
  "trip.test.js": `
import assert from "node:assert";
import { test } from "node:test";
import OpenAI from "openai";
import { tape } from "@tapedeck/testing/node-test";
import { eat, greet, pack } from "./trip.js";
for (const [name, run, expected] of [["packs", pack, /hat/], ["dines", eat, /harbour/], ["greets", greet, /Bom dia/]]) {
  test(name, async (context) => {
    const t = await tape(context);
    assert.match(await run(new OpenAI({ baseURL: t.openai })), expected);
  });
}
`,
  // One line for each test: the reporters of Node.js print a dozen.
  "reporter.js": `
export default async function* report(events) {
  for await (const { type, data } of events) {
    const mark = { "test:pass": "✔", "test:fail": "✖" }[type];
    if (mark) yield \`\${mark} \${data.name} (\${Math.round(data.details.duration_ms)} ms)\\n\`;
  }
}
`,
};

const answers = [
  "Take good shoes for the hills, sunscreen and a hat: the sun is strong, and there is little shade by the river.",
  "Walk down to the harbour and look for the place with the shortest menu. Ask what came in this morning.",
  "Bom dia. After noon it becomes boa tarde, and after dark boa noite.",
];

function startStandIn(): Promise<ProviderDouble> {
  const { provider, answerOf } = protocols.chat;
  return startProvider(
    ...answers.map((text, index) => {
      const { contentType, events } = provider.unfold(answerOf({ text, calls: [] }, `a${index}`));
      const bytes = Buffer.from(events.join(""));
      return streamOf(bytes, { chunkBytes: 120, delayMs: pieceDelayMs, headers: { "content-type": contentType } });
    }),
  );
}

/** Writes the project, with the package that is built from this repository. */
function writeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-session-"));
  const builtFolder = mkdtempSync(join(tmpdir(), "tapedeck-built-"));
  const built = execFileSync(process.execPath, ["lib/testing/build.mjs", "--out", builtFolder], { cwd: root });
  const [, tarball = ""] = /^(.+\.tgz): /.exec(built.toString()) ?? [];
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  execFileSync("npm", ["install", "--offline", "--no-save", tarball], { cwd: folder });
  rmSync(builtFolder, { recursive: true });
  symlinkSync(join(root, "node_modules/openai"), join(folder, "node_modules/openai"));
  return folder;
}

/** Runs the lines in one shell, and returns what each of them printed. `afterFirst` is called after the first. */
async function runLines(lines: readonly string[], folder: string, origin: string, afterFirst: () => Promise<void>) {
  const environment = { OPENAI_BASE_URL: `${origin}/v1`, OPENAI_API_KEY: "own", NPM_CONFIG_USERCONFIG: "/dev/null" };
  const shell = spawn("bash", [], { cwd: folder, env: bareEnvironment(folder, environment), stdio: "pipe" });
  const end = "__end_of_line__";
  const output = createInterface(shell.stdout)[Symbol.asyncIterator]();
  shell.stdin.write("exec 2>&1\n");
  const printed: string[][] = [];
  for (const line of lines) {
    shell.stdin.write(`${line}\necho ${end}\n`);
    const texts: string[] = [];
    for (;;) {
      const { value, done } = await output.next();
      if (done) throw new Error(`The shell ended at ${line}.`);
      if (value === end) break;
      texts.push(value);
    }
    printed.push(texts);
    if (printed.length === 1) await afterFirst();
  }
  shell.stdin.end();
  return printed;
}

/** Divides a line where a terminal does. */
function wrap(line: string): string[] {
  return line.match(new RegExp(`.{1,${columns}}`, "gu")) ?? [""];
}

type Row = { text: string; kind: "command" | "output" | "accent" | "result" };

const steps = [
  ["npx tapedeck run -- npm test", "records, with your key"],
  ["unset OPENAI_API_KEY", ""],
  ["npx tapedeck run -- npm test", "replays: no key, no network, no tokens"],
  ["sed -i 's/Lisbon/Porto/' trip.js", "changes a prompt"],
  ["npx tapedeck run --mode replay -- npm test", "as in CI"],
] as const;

function lineOf([command, comment]: (typeof steps)[number]): string {
  return comment === "" ? command : `${command}  # ${comment}`;
}

function kindOf(line: string): Row["kind"] {
  if (/^(✖|\s+\/)/.test(line)) return "accent";
  return line.startsWith("tapedeck:") ? "result" : "output";
}

const folder = writeProject();
const server = await startStandIn();
// Nothing answers after the first run: what is replayed comes from the tapes.
const printed = await runLines(steps.map(lineOf), folder, server.origin, () => server.close());
rmSync(folder, { recursive: true });

const rows = steps.flatMap((step, index): Row[] => [
  { text: lineOf(step), kind: "command" },
  ...(printed[index] ?? []).flatMap((line) => wrap(line).map((text) => ({ text, kind: kindOf(line) }))),
]);
const classes = { output: ' class="c"', accent: ' class="p"', result: "", command: "" };
let bottom = top - lineHeight;
const body = rows.map(({ text, kind }, index) => {
  bottom += lineHeight + (kind === "command" && index > 0 && rows[index - 1]?.kind !== "command" ? gap : 0);
  const place = `x="${left}" y="${bottom}"`;
  if (kind !== "command") return `<text ${place}${classes[kind]} xml:space="preserve">${escapeXml(text)}</text>`;
  const [, command = "", comment = ""] = /^(.*?)( {2}# .*)?$/.exec(text) ?? [];
  return `<text ${place} xml:space="preserve"><tspan class="p">$</tspan> ${escapeXml(command)}<tspan class="c">${escapeXml(comment)}</tspan></text>`;
});
writeFileSync(
  resolve(root, "public/readme/test-suite.svg"),
  terminalSvg({
    title: "A test suite is recorded, replayed, and fails where a prompt was changed",
    width: Math.ceil(left * 2 + columns * charWidth),
    height: bottom + 20,
    css: "",
    body: body.join("\n"),
  }),
);
process.stdout.write(`${rows.map(({ text, kind }) => (kind === "command" ? `$ ${text}` : text)).join("\n")}\n`);
