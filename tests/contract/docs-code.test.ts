import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, inject, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { childEnvironment } from "#lib/platform/config";
import { isExtended } from "#tests/support/extended";
import { issueKey } from "#tests/support/keys";
import { docsHost } from "#tests/support/start-app";
import { temporaryFolder } from "#tests/support/temporary-folder";

const root = resolve(import.meta.dirname, "../..");
const pages = ["README.md", ...readdirSync(join(root, "content/docs")).map((name) => `content/docs/${name}`)].filter(
  (page) => page.endsWith(".md"),
);

type Block = { page: string; language: string; code: string };
const blocks: Block[] = pages.flatMap((page) =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^( *)```(\S*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = "", language = "", code = ""]) => ({
      page,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  ),
);
const inLanguage = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));

/**
 * Each response goes to a file as well, with its status and content type beside it. npm itself, which would only pass the
 * arguments on, would take as long as the commands.
 */
const prelude = `set -e
npm() {
  [ "$1 $2 $3 $4" = "run -s tapedeck --" ]
  shift 4
  node "$TAPEDECK" "$@"
}
curl() {
  local file=$(mktemp "$RESPONSES/XXXXXX") code=0
  command curl --silent --show-error --output "$file" --write-out '%{http_code} %{content_type}' "$@" >"$file.type" || code=$?
  cat "$file"
  return $code
}
`;

/** What a response of each content type has to contain. */
const checks: [type: RegExp, check: (body: string) => void][] = [
  [/^application\/([\w.-]+\+)?json/, (body) => expect(JSON.parse(body)).not.toHaveProperty("error")],
  [/^application\/x-ndjson/, (body) => expect(JSON.parse(body.split("\n")[0] ?? "")).not.toHaveProperty("error")],
  [/^text\/event-stream/, (body) => expect(body).toMatch(/^data: ?\S/m)],
  [/xml/, (body) => expect(body).toMatch(/^<\?xml [\s\S]*<\/\w+>\s*$/)],
  [/^text\/(html|markdown|plain|csv)/, (body) => expect(body).toMatch(/\S{3}/)],
];

const run = promisify(execFile);
const folder = temporaryFolder();

const base = inject("baseUrl");

/** Runs a page's commands in one shell, in a project with Tapedeck's cassettes if its commands need them. */
async function runPage(page: string, code: string): Promise<{ response: string; body: string }[]> {
  const project = join(folder, page.replaceAll("/", "-"));
  const responses = join(project, "responses");
  mkdirSync(responses, { recursive: true });
  if (code.includes("tapedeck"))
    cpSync(join(root, "content/cassettes"), join(project, "content/cassettes"), { recursive: true });
  const { key } = await issueKey("pro");
  const local = code
    .replaceAll("http://127.0.0.1:3000", base)
    .replaceAll(/https:\/\/(docs\.example\.com|example\.com|hooks\.slack\.com)/g, `http://${docsHost}`);
  await run("bash", ["-c", prelude + local], {
    cwd: project,
    maxBuffer: 64 * 1024 * 1024,
    env: childEnvironment({
      DATABASE_URL: inject("databaseUrl"),
      PORT: new URL(base).port,
      KEY: key,
      RESPONSES: responses,
      TAPEDECK: join(root, "lib/cli/tapedeck.mjs"),
    }),
  });
  return readdirSync(responses)
    .filter((name) => name.endsWith(".type"))
    .map((name) => join(responses, name))
    .map((file) => ({ response: readFileSync(file, "utf8"), body: readFileSync(file.replace(/\.type$/, ""), "utf8") }));
}

describe("the code in the README and the docs", () => {
  it("is in languages that are known", () => {
    // Tests of their parts run the blocks of these: clients, packages, webhooks, metrics.
    const others = ["ts", "python", "go", "text", "console", "http", "nginx", "ini", "diff", "markdown", ""];
    const known = new Set(["bash", "sh", "json", "yaml", ...others]);
    expect(blocks.filter(({ language }) => !known.has(language))).toEqual([]);
  });

  // Tagged "sh": what needs a project with tests, a provider's key, mail, Docker, another machine, or several minutes.
  it("needs more than a server in few of its commands", () => {
    expect(inLanguage("sh")).toHaveLength(36);
  });

  it.each(inLanguage("json"))("is JSON, in $page: $code", ({ code }) => {
    expect(JSON.parse(code)).toBeTypeOf("object");
  });

  it.each(inLanguage("yaml"))("is YAML, in $page: $code", ({ code }) => {
    expect(parseAllDocuments(code).flatMap(({ errors }) => errors)).toEqual([]);
  });

  // They spend most of their time waiting for replays, so they run concurrently.
  describe.concurrent("works as pasted, block after block", () => {
    const commands = inLanguage("bash");
    // The command has tests of its own. By default it runs on one page: each start takes as long as ten requests.
    const starting = new Set(commands.flatMap(({ page, code }) => (code.includes("tapedeck --") ? [page] : [])));
    const isRun = (page: string) => isExtended || !starting.has(page) || page.endsWith("/fleet.md");
    it.each([...new Set(commands.map(({ page }) => page))].filter(isRun))("%s", async (page) => {
      const code = commands.filter((block) => block.page === page).map((block) => block.code);
      for (const { response, body } of await runPage(page, code.join("\n"))) {
        expect(response).toMatch(/^2\d\d /);
        const [status = "", type = ""] = response.split(/ (.*)/);
        // With -i, the headers stand before the body.
        if (status !== "204" && !body.startsWith("HTTP/")) {
          const check = checks.find(([pattern]) => pattern.test(type))?.[1];
          expect([type, check]).toEqual([type, expect.any(Function)]);
          check?.(body);
        }
      }
    });
  });
});
