import { type Choices, hostileStrings, nestedJson } from "./hostile-values";

const faults = [
  ...["rechunk=99", "rechunk=700", "cut-after-event=0", "cut-after-event=3", "stall=0.01s", "stall=60s,stall=60s", "x"],
  ...["status=429", "status=599", "status=999999", "rechunk=0", "=", "stall=1e9s", "cut-after-event=999999"],
];

/** Repeats a text in a header, up to almost the maximum size of all headers. */
const manyOf = (text: string, choices: Choices) =>
  text.repeat(choices.pick([1, 2, 100, Math.floor(14_000 / text.length)]));

/** What headers take that steer a replay, or choose a part or form of a response. */
const headerValues: Record<string, (choices: Choices) => string> = {
  "x-replay-cassette": (choices) =>
    choices.pick(["legal/nda-review", "legal/", "/", "a/b/c", "legal/nda-review,legal/x"]),
  // Slower ones would last as long as their recordings.
  "x-replay-speed": (choices) => choices.pick(["max", "0", "-1", "1e309", "max,max"]),
  "x-replay-test": (choices) => choices.pick(["yes", "a > b", manyOf("test ", choices)]),
  "x-replay-sequence": (choices) => choices.pick(["429,ok", "overloaded", "ok,", "nothing", manyOf("500,", choices)]),
  "x-replay-fault": (choices) =>
    choices.chance(0.2)
      ? manyOf("rechunk=1,", choices)
      : Array.from({ length: 1 + choices.below(4) }, () => choices.pick(faults)).join(),
  "if-none-match": (choices) => choices.pick(["*", '"a"', 'W/"a", "b"', manyOf('"a",', choices)]),
  "if-modified-since": (choices) => choices.pick(["Sat, 21 Nov 2026 00:00:00 GMT", "x", "-1", manyOf("1 ", choices)]),
  range: (choices) => choices.pick(["bytes=0-0", "bytes=-1", "bytes=9-1", `bytes=${manyOf("0-1,", choices)}`]),
  accept: (choices) => choices.pick(["text/event-stream", "*/*;q=0", "x", manyOf("application/json;q=0.1,", choices)]),
  "content-type": (choices) =>
    choices.pick(["application/json; charset=utf-16", "application/json;", manyOf("a/b;", choices)]),
  "last-event-id": (choices) => choices.pick(["0", "-1", "99999999999999999999", manyOf("9", choices)]),
};

/** Returns a few of these headers with random values. */
export function steeringHeaders(choices: Choices): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let count = choices.below(4); count > 0; count -= 1) {
    const name = choices.pick(Object.keys(headerValues));
    headers[name] = headerValues[name]?.(choices) ?? "";
  }
  return headers;
}

const sizes = [1_000, 60_000, 300_000];
const largeSizes = [2, 4, 11].map((mebibytes) => mebibytes * 1024 * 1024);

/** Returns JSON of about this size, of a kind that costs more than its size. */
function sizedJson(size: number, choices: Choices): string {
  const kinds = [
    () => JSON.stringify("word ".repeat(size / 5)),
    () => JSON.stringify("\u0001é😀".repeat(size / 12)),
    () => `[${"1,".repeat(size / 2)}1]`,
    () => `{${Array.from({ length: size / 12 }, (_, index) => `"k${index}":0`).join()}}`,
    () => `[${"{},".repeat(size / 3)}{}]`,
    () => JSON.stringify(Array.from({ length: size / 60 }, () => ({ role: "user", content: "a question" }))),
    () => JSON.stringify(`sk-ant-${"a".repeat(90)} `.repeat(size / 98)),
  ];
  return choices.pick(kinds)();
}

/** Depths around the bound, and far over it. */
const depths = [10, 150, 198, 201, 3_000, 20_000];

/** Returns the example as JSON with one value, or an added one, that is large or deeply nested. */
export function heavyBody(example: unknown, choices: Choices): Buffer {
  const size = choices.chance(0.03) ? choices.pick(largeSizes) : choices.pick(sizes);
  const isNested = choices.chance(0.3);
  const value = isNested
    ? nestedJson(choices.pick(depths), choices.pick([["[", "]"] as const, ['{"a":', "0}"] as const]))
    : sizedJson(size, choices);
  const isObject = typeof example === "object" && example !== null && !Array.isArray(example);
  if (!isObject || choices.chance(0.1)) return Buffer.from(value);
  const name = choices.pick([...Object.keys(example), choices.pick(hostileStrings)]);
  const entries = Object.entries({ ...example, [name]: null }).map(
    ([key, given]) => `${JSON.stringify(key)}:${key === name ? value : JSON.stringify(given)}`,
  );
  return Buffer.from(`{${entries.join()}}`);
}
