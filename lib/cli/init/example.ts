import type { Project } from "./find-project";

const question = "Name one thing to pack for a week in Lisbon.";

/** Calls of SDKs whose base URL a tape has: the fields beside the messages, and what of the answer is checked. */
export const exampleCalls = {
  openai: {
    client: "OpenAI",
    create: "chat.completions.create",
    fields: { model: "gpt-4.1-mini" },
    answer: "choices[0]",
  },
  anthropic: {
    client: "Anthropic",
    create: "messages.create",
    fields: { model: "claude-haiku-4-5-20251001", max_tokens: 200 },
    answer: "content[0]",
  },
};
const providers = new Map<string, keyof typeof exampleCalls>([
  ["openai", "openai"],
  ["@anthropic-ai/sdk", "anthropic"],
  ["anthropic", "anthropic"],
]);

/** Returns an example test, or undefined if the runner has no fixture or no SDK is used whose base URL the tape has. */
export function exampleOf({
  runner,
  sdks,
  isTypeScript,
  isModule,
}: Project): { file: string; text: string } | undefined {
  const sdk = sdks.find(({ name }) => providers.has(name))?.name ?? "";
  const provider = providers.get(sdk);
  if (!provider || !runner || !["vitest", "jest", "node:test", "pytest"].includes(runner)) return undefined;
  const { client, create, fields, answer } = exampleCalls[provider];
  const values = Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)] as const);
  if (runner === "pytest") {
    const text = `from ${sdk} import ${client}


def test_answers(tape):
    answer = ${client}(base_url=tape.${provider}).${create}(
${values.map(([name, value]) => `        ${name}=${value},\n`).join("")}        messages=[{"role": "user", "content": "${question}"}],
    )
    assert answer.${answer}
`;
    return { file: "test_tapedeck_example.py", text };
  }
  const isNodeTest = runner === "node:test";
  const imports = {
    ...(isNodeTest && { assert: "node:assert", "{ test }": "node:test" }),
    [client]: sdk,
    "{ tape }": `@tapedeck/testing/${isNodeTest ? "node-test" : runner}`,
    ...(runner === "vitest" && { "{ expect, test }": "vitest" }),
  };
  const lines = Object.entries(imports).map(([names, from]) =>
    runner === "jest" && !isModule ? `const ${names} = require("${from}");` : `import ${names} from "${from}";`,
  );
  const text = `${lines.join("\n")}

test("answers", async (${isNodeTest ? "context" : ""}) => {
  const t = await tape(${isNodeTest ? "context" : ""});
  const answer = await new ${client}({ baseURL: t.${provider} }).${create}({
${values.map(([name, value]) => `    ${name}: ${value},\n`).join("")}    messages: [{ role: "user", content: "${question}" }],
  });
  ${isNodeTest ? `assert.ok(answer.${answer});` : `expect(answer.${answer}).toBeTruthy();`}
});
`;
  const ending = isNodeTest ? "mjs" : runner === "vitest" && isTypeScript ? "ts" : "js";
  return { file: `tapedeck-example.test.${ending}`, text };
}
