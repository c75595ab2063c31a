import { expect, it } from "vitest";
import { auditLines, successorName, summaryText } from "#lib/cli/audit/audit-text";
import { findModels } from "#lib/cli/audit/findings";
import { githubAnnotations, githubSummary } from "#lib/cli/audit/github";
import { keepModels } from "#lib/cli/audit/keep-models";
import { bundledModels } from "#lib/models/index";

const now = new Date("2026-11-25T20:00:00Z");
const none = { answered: null, isGone: false, asksModel: true };
const call = (model: string | null, test: string, headers: { sunset?: string; deprecation?: string } = {}) => {
  return { model, test, file: `tapes/${test}`, host: "", deprecation: null, sunset: null, ...none, ...headers };
};
const calls = [
  call("gpt-5-mini", "trip.test.ts > books"),
  call("gpt-5-mini-2025-08-07", "trip.test.ts > books"),
  call("openai/gpt-5-mini", "trip.test.ts > pays", { sunset: "Fri, 11 Dec 2026 23:59:59 GMT" }),
  call("gemini-2.0-flash", "old.test.ts > sings", { deprecation: "@1764547200" }),
  call("claude-opus-4-8", "new.test.ts > thinks"),
  call("house-model", "own.test.ts > hums"),
  call(null, "files.test.ts > uploads"),
];
const code = [{ name: "gemini-2.0-flash", file: "src/a,b.ts", line: 7 }];
const findings = findModels({ calls, code }, bundledModels(now), now);
const noFailure = { model: () => false, header: () => false };
const [ended, ending] = findings.models;

it("joins the names of a model, and lists first what has ended, then what ends, then what is not known", () => {
  expect(findings.models.map(({ id, names, status }) => [id, names.length, status])).toEqual([
    ["gemini-2.0-flash", 1, "retired"],
    ["gpt-5-mini", 3, "deprecated"],
    [null, 1, "unknown"],
    ["claude-opus-4-8", 1, "active"],
  ]);
  expect(findings.unnamed).toBe(1);
  expect(ending).toMatchObject({
    retired: "2026-12-11",
    days_left: 16,
    recordings: 3,
    successor: "openai/gpt-5.6-terra",
  });
  expect(ending?.tests.map(({ test, recordings }) => [test, recordings])).toEqual([
    ["trip.test.ts > books", 2],
    ["trip.test.ts > pays", 1],
  ]);
  expect(ended).toMatchObject({ days_left: -177, code: [{ file: "src/a,b.ts", line: 7 }] });
});

it("follows successors that have ended, and compares prices where both are known", () => {
  const { models } = findModels(
    { calls: [call("claude-2.0", "a"), call("kimi-k2-thinking", "b")], code: [] },
    bundledModels(now),
    now,
  );
  expect(models.map(({ successor, price_ratio: ratio }) => [successor, ratio])).toEqual([
    ["anthropic/claude-opus-4-8", null],
    ["moonshot/kimi-k2.6", { input: 1.58, output: 1.6 }],
  ]);
  expect(models.map(({ unpriced }) => unpriced)).toEqual([["anthropic/claude-2.0"], []]);
  const [, , unpriced] = auditLines({ ...findings, models });
  expect(unpriced).toMatch(/→ claude-opus-4-8$/);
  const [free] = findModels({ calls: [call("text-embedding-ada-002", "a")], code: [] }, bundledModels(now), now).models;
  expect([free?.price_ratio, free?.unpriced]).toEqual([null, []]);
  const later = new Date("2027-01-10T00:00:00Z");
  const [chained] = findModels(
    { calls: [call("gpt-3.5-turbo-0301", "a")], code: [] },
    bundledModels(later),
    later,
  ).models;
  expect(bundledModels(later).get("openai", "gpt-3.5-turbo-0301")?.successors[0]?.id).toBe("gpt-3.5-turbo");
  expect(chained?.successor).toBe("openai/gpt-5.6-terra");
});

it("follows successors that end, and says when one ends that has none", () => {
  const { models } = findModels(
    { calls: [call("o1-preview", "a"), call("claude-3-haiku-20240307", "b")], code: [] },
    bundledModels(now),
    now,
  );
  const lines = auditLines({ ...findings, models }).join("\n");
  expect(lines).toMatch(/o1-preview .* → gpt-5\.6-sol \(price/);
  expect(lines).toMatch(/claude-3-haiku-20240307 .* → claude-haiku-4-5-20251001 \(may end\) \(input ×4/);
  const dated = { status: "deprecated" as const, retired: "2026-12-11", may_end: false };
  const [last] = models.map((finding) => successorName({ ...finding, successor_end: dated }));
  expect(last).toBe("→ gpt-5.6-sol (ends 2026-12-11)");
});

it("says whose dates those of a model on a cloud are", () => {
  const name = "us.anthropic.claude-sonnet-4-20250514-v1:0";
  const found = findModels(
    { calls: [call(name, "a"), call("claude-sonnet-4-20250514", "b")], code: [] },
    bundledModels(now),
    now,
  );
  const caveat = "The dates are those of anthropic: bedrock may end the model on another day.";
  expect(found.models.map(({ caveats }) => caveats)).toEqual([[caveat]]);
  expect(auditLines(found)).toContain(`    ${caveat}`);
  expect(githubAnnotations(found, noFailure)).toEqual([expect.stringContaining(caveat)]);
});

it("reads the days of recorded headers", () => {
  expect(findings.headers.map(({ header, day, model }) => [header, day, model])).toEqual([
    ["Sunset", "2026-12-11", "openai/gpt-5-mini"],
    ["Deprecation", "2025-12-01", "gemini-2.0-flash"],
  ]);
});

it("prints them for terminals, annotations and summaries, each on one line", () => {
  expect(summaryText(findings)).toBe(
    "1 model has ended, 1 ends in 16 days, 1 is not known, 1 active, 2 deprecation headers. 1 recording names no model.",
  );
  const lines = auditLines(findings).join("\n");
  expect(lines).toContain("openai gpt-5-mini");
  expect(lines).toContain(
    "ends 2026-12-11 (16 days)  → gpt-5.6-terra (price not known)\n    3 recordings in 2 tests\n",
  );
  expect(lines).toContain("trip.test.ts (2 tests)");
  expect(lines).toContain("  active: anthropic claude-opus-4-8\n");
  const many = Array.from({ length: 23 }, (_, index) => call(`house-model-${index}`, "own.test.ts > hums"));
  const unknown = auditLines(findModels({ calls: many, code: [] }, bundledModels(now), now));
  expect(unknown.filter((line) => line.includes("house-model"))).toHaveLength(20);
  expect(unknown.at(-1)).toBe("  and 3 more not known: --json");
  const [first, ...others] = githubAnnotations(findings, { ...noFailure, model: ({ status }) => status === "retired" });
  expect(first).toMatch(
    /^::error file=src\/a%2Cb\.ts,line=7,title=Model::google gemini-2\.0-flash {2}ended 2026-06-01/,
  );
  expect(others).toEqual([expect.stringMatching(/^::warning file=tapes\/trip\.test\.ts > books,/)]);
  expect(githubSummary(findings)).toContain("| house-model | not known |  | 1 recording in 1 test |");
});

it("annotates first what ends next, then what ended last", () => {
  const ended = bundledModels(now).models.filter(({ status, retired }) => status === "retired" && retired !== null);
  const names = [...ended.slice(0, 20).map(({ id }) => id), "gpt-5-mini", "gpt-audio"];
  const found = findModels({ calls: names.map((name) => call(name, "a")), code: [] }, bundledModels(now), now);
  const shown = githubAnnotations(found, { ...noFailure, model: () => true }).map((line) => line.split("::")[2]);
  expect(shown).toHaveLength(10);
  expect(shown.slice(0, 2)).toEqual([
    expect.stringMatching(/^openai gpt-5-mini {2}ends/),
    expect.stringMatching(/^openai gpt-audio {2}ends/),
  ]);
  const days = shown.slice(2).map((line) => /ended (\S+)/.exec(line ?? "")?.[1]);
  expect(days).toEqual([...days].sort().reverse());
});

it("annotates headers that fail the audit and changes of operations, up to ten of each kind", () => {
  const operation = (path: string, breaking: boolean) => ({
    ...{ method: "GET", path, urls: [], change: "changed", breaking, significance: 2, at: "2026-10-01T00:00:00Z" },
    differences: [{ target: "response" as const, at: "Item.name", change: "may be null\n::error::x" }],
    ...{ recordings: 2, tests: ["a"], file: "tapes/a/001.cassette.json", url: "https://tapes.example/diff" },
  });
  const minor = Array.from({ length: 12 }, (_, index) => operation(`/items/${index}`, false));
  const all = { ...findings, models: [], operations: [...minor, operation("/gone", true)] };
  const lines = githubAnnotations(all, { ...noFailure, header: ({ header }) => header === "Sunset" });
  expect(lines.slice(0, 3)).toEqual([
    "::error file=tapes/trip.test.ts > pays,title=Header::Sunset: Fri, 11 Dec 2026 23:59:59 GMT (2026-12-11)  openai/gpt-5-mini  1 recording in 1 test",
    expect.stringMatching(
      /^::error file=tapes\/a\/001\.cassette\.json,title=Operation::GET \/gone {2}changed 2026-10-01, breaking {2}2 recordings in 1 test {2}Item\.name in responses may be null/,
    ),
    expect.stringMatching(/^::warning .*title=Operation::GET \/items\/0 /),
  ]);
  expect(lines).toHaveLength(12);
  expect(lines.join("").includes("\n")).toBe(false);
});

it("says of a model that it may end at any time once its earliest date has passed, and counts only what there is", () => {
  const name = "claude-haiku-4-5-20251001";
  const on = (day: string) => {
    const time = new Date(day);
    return findModels({ calls: [call("claude-opus-4-8", "a"), call(name, "b")], code: [] }, bundledModels(time), time);
  };
  const [before, after] = [on("2026-10-14T23:00:00Z"), on("2026-10-15T00:00:00Z")];
  expect(summaryText(before)).toBe("2 models active.");
  expect(auditLines(before).slice(2)).toEqual([expect.stringMatching(/^ {2}active: anthropic \S+, anthropic \S+$/)]);
  expect(after.models.map(({ id, may_end: mayEnd }) => [id, mayEnd])).toEqual([
    [name, true],
    ["claude-opus-4-8", false],
  ]);
  const text = "may end at any time: the earliest date, 2026-10-15, has passed";
  expect(auditLines(after).slice(0, 4)).toEqual([
    "1 model may end at any time, 1 active.",
    "",
    `  anthropic ${name}  ${text}`,
    "    1 recording in 1 test",
  ]);
  expect(githubAnnotations(after, noFailure)).toEqual([expect.stringContaining(text)]);
  expect(githubSummary(after)).toContain(`| anthropic ${name} | ${text} |`);
  expect(summaryText({ ...after, models: [] })).toBe("No models.");
});

it("takes the model of a deployment from answers of the same host, and never for calls that name no model", () => {
  const answered = { answered: "gpt-5-mini", host: "a.openai.azure.com" };
  const found = findModels(
    {
      calls: [
        { ...call("chat", "a"), ...answered },
        { ...call("chat", "b"), host: "a.openai.azure.com" },
        { ...call("chat", "c"), host: "b.openai.azure.com" },
        { ...call(null, "d"), ...answered },
        { ...call(null, "e"), host: "a.openai.azure.com", asksModel: false },
      ],
      code: [],
    },
    bundledModels(now),
    now,
  );
  expect(found.models.map(({ id, tests }) => [id, tests.map(({ test }) => test)])).toEqual([
    ["gpt-5-mini", ["a", "b", "d"]],
    [null, ["c"]],
  ]);
});

it("an exception names a model as the audit does, whatever other names are in it", () => {
  const [catalogue, model] = [bundledModels(now), "groq/openai/gpt-oss-120b"];
  const found = findModels({ calls: [call("openai/gpt-oss-120b", "a")], code: [] }, catalogue, now);
  const config = { keep_models: [{ model, reason: "A/B test" }], file: null };
  expect(keepModels(found, config, catalogue, "2026-11-25").models.map((each) => each.is_kept)).toEqual([true]);
});

it.each([
  ["*", true],
  ["src/a.test.ts", true],
  ["src/*.ts", true],
  ["*a.test*", true],
  ["src/**/a*", false],
  ["src/a", false],
  ["a.test.ts", false],
  ["src/a.test.ts*.ts", false],
  ["sr?/*", false],
  [`*${"a*".repeat(200)}b`, false],
])("an exception in %j keeps a model in src/a.test.ts: %s", (place, isKept) => {
  const catalogue = bundledModels(now);
  const tests = ["src/a.test.ts", "a".repeat(400)];
  const found = findModels({ calls: tests.map((test) => call("o1", test)), code: [] }, catalogue, now);
  const keep = { model: "o1", reason: "A/B test" };
  const config = {
    keep_models: [
      { ...keep, in: place },
      { ...keep, in: "aaa*" },
    ],
    file: null,
  };
  expect(keepModels(found, config, catalogue, "2026-11-25").models[0]?.is_kept).toBe(isKept);
});
