import { describe, expect, it } from "vitest";
import { compareOperations } from "#lib/tracking/operations/compare-operations";
import { describeDifference, summarizeOperations } from "#lib/tracking/operations/describe-operations";
import { OpenApiError } from "#lib/tracking/operations/document";
import { propertyRuns } from "#tests/support/extended";
import { seededRandom } from "#tests/support/seeded-random";

type Json = Record<string, unknown>;
const url = "https://docs.example/openapi.json";
const compare = (before: Json, after: Json) => compareOperations({ document: before, url }, { document: after, url });

const ok = (schema: unknown) => ({ "200": { description: "", content: { "application/json": { schema } } } });
const text = { type: "string" };
const object = (properties: Json, required: string[] = []) => ({ type: "object", properties, required });

/** A document whose one operation sends and receives a schema. */
const sending = (schema: unknown, schemas: Json = {}) => ({
  openapi: "3.1.0",
  paths: { "/items": { post: { requestBody: { content: { "application/json": { schema } } }, responses: ok({}) } } },
  components: { schemas },
});
const receiving = (schema: unknown, schemas: Json = {}) => ({
  openapi: "3.1.0",
  paths: { "/items": { get: { responses: ok(schema) } } },
  components: { schemas },
});

/** Returns the differences of the one operation, with `!` if they are breaking. */
function differencesOf(before: Json, after: Json): string[] {
  const changes = compare(before, after);
  return changes.flatMap(({ differences }) =>
    differences.map((each) => `${each.breaking ? "!" : ""}${describeDifference(each)}`),
  );
}

const string = (changes: Json) => ({ ...text, ...changes });

describe("the comparison of a schema", () => {
  const [integer, number] = [{ type: "integer" }, { type: "number" }];
  const listOf = (items: Json) => ({ type: "array", items });
  const [short, long] = [string({ maxLength: 5 }), string({ maxLength: 9 })];
  const deprecated = string({ deprecated: true });
  it.each<[string, unknown, unknown, difference: string, breaks: "requests" | "responses" | "both" | "neither"]>([
    ["a property that goes", object({ a: text, b: text }), object({ a: text }), ".b was removed", "both"],
    ["a property that comes", object({}), object({ a: text }), ".a was added", "neither"],
    ["a required one that comes", object({}), object({ a: text }, ["a"]), ".a was added and is required", "requests"],
    ["one that gets required", object({ a: text }), object({ a: text }, ["a"]), ".a is required", "requests"],
    ["one that gets optional", object({ a: text }, ["a"]), object({ a: text }), ".a is optional", "responses"],
    ["a wider type", integer, number, " is number instead of integer", "responses"],
    ["a narrower type", { type: ["string", "integer"] }, text, " is string instead of string, integer", "requests"],
    ["null that comes", text, { type: ["string", "null"] }, " may be null", "responses"],
    ["null that goes", { ...text, nullable: true }, text, " may no longer be null", "requests"],
    ["a value that comes", string({ enum: ["a"] }), string({ enum: ["b", "a"] }), ' may be "b"', "neither"],
    ["a value that goes", string({ enum: ["a", "b"] }), string({ enum: ["a"] }), ' may no longer be "b"', "requests"],
    ["values that are no longer listed", string({ enum: ["a"] }), text, " may have any value", "responses"],
    ["values that are listed", text, string({ enum: ["a"] }), ' has only the values "a"', "requests"],
    ["a tighter bound", long, short, " has the maxLength 5 instead of 9", "requests"],
    ["a bound that goes", string({ minLength: 9 }), text, " has the minLength none instead of 9", "neither"],
    ["another default", string({ default: 1 }), string({ default: 2 }), " has the default 2 instead of 1", "neither"],
    ["a deprecated one", object({ a: text }), object({ a: deprecated }), ".a is deprecated", "neither"],
    ["another description", text, string({ description: "b" }), " has another description", "neither"],
    ["no others", object({}), { ...object({}), additionalProperties: false }, " has no other properties", "requests"],
    ["items", listOf(text), listOf(integer), "[] is integer instead of string", "both"],
  ])("tells %s in requests from one in responses", (_what, before, after, difference, breaks) => {
    const at = (place: string) =>
      difference.replace(/^\S*/, (path) => `${place}${path} in ${place === "body" ? "requests" : "responses"}`);
    const mark = (side: typeof breaks) => (breaks === side || breaks === "both" ? "!" : "");
    expect(differencesOf(sending(before), sending(after))).toEqual([`${mark("requests")}${at("body")}`]);
    expect(differencesOf(receiving(before), receiving(after))).toEqual([`${mark("responses")}${at("200")}`]);
  });

  it.each<[string, unknown, unknown]>([
    ["a list of one value as a constant", { type: "string", enum: ["a"] }, { const: "a" }],
    ["nullable as a type", { type: "string", nullable: true }, { anyOf: [{ type: "null" }, text] }],
    [
      "allOf as one object",
      { allOf: [object({ a: text }), object({ b: text }, ["b"])] },
      object({ b: text, a: text }, ["b"]),
    ],
    ["a reference as what it refers to", { $ref: "#/components/schemas/Item" }, object({ name: text })],
    ["known values among any", { anyOf: [text, { const: "a" }] }, { anyOf: [{ const: "b" }, text] }],
  ])("takes %s for the same", (_what, before, after) => {
    const schemas = { Item: object({ name: text }) };
    expect(compare(sending(before, schemas), sending(after, schemas))).toEqual([]);
  });

  it("compares alternatives with those that they stand for, wherever they are in their list", () => {
    const kind = (type: string, more: Json = {}) => object({ type: { const: type }, ...more }, ["type"]);
    const before = { oneOf: [kind("a"), kind("b"), kind("c")] };
    const after = { oneOf: [kind("d"), kind("b", { more: text }), kind("a")] };
    expect(differencesOf(sending(before), sending(after))).toEqual([
      "!body in requests is no longer one of object",
      "body in requests may be object",
      "body.more in requests was added",
    ]);
    expect(differencesOf(receiving(kind("a")), receiving(before)).every((each) => !each.startsWith("!"))).toBe(true);
  });

  it("follows references in circles, and names what is shared once for each operation", () => {
    const tree = (leaf: unknown) => ({
      Tree: object({ leaf, children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } }),
    });
    const root = { allOf: [{ $ref: "#/components/schemas/Tree" }] };
    expect(differencesOf(receiving(root, tree(text)), receiving(root, tree({ type: "integer" })))).toEqual([
      "!Tree.leaf in responses is integer instead of string",
    ]);
    const loop = {
      A: { $ref: "#/components/schemas/B" },
      B: { $ref: "#/components/schemas/A" },
      C: { allOf: [{ $ref: "#/components/schemas/C" }] },
    };
    for (const name of ["A", "C", "None"]) {
      const schema = { $ref: `#/components/schemas/${name}` };
      expect(compare(sending(schema, loop), sending(schema, loop))).toEqual([]);
    }
  });
});

describe("the comparison of operations", () => {
  const get = (more: Json = {}) => ({ get: { responses: ok(text), ...more } });
  const paths = (given: Json, more: Json = {}) => ({ openapi: "3.1.0", paths: given, ...more });

  it("says what came and went, whatever parameters of paths are called, and where they are called", () => {
    const servers = [{ url: "https://api.example/v1/" }, { url: "https://{region}.example/v1" }];
    const before = paths({ "/a/{id}": get(), "/b": get(), "/c": { post: {} } }, { servers });
    const after = paths({ "/a/{name}": get(), "/c": get(), "/d/{x}.json?beta=true": get() }, { servers });
    const changes = compare(before, after);
    expect(changes.map(({ method, path, kind, significance }) => [method, path, kind, significance])).toEqual([
      ["GET", "/b", "removed", 5],
      ["POST", "/c", "removed", 5],
      ["GET", "/c", "added", 3],
      ["GET", "/d/{x}.json?beta=true", "added", 3],
    ]);
    const added = changes.at(-1);
    expect(added?.urls).toEqual(["https://api.example/v1/d/{x}.json", "https://{region}.example/v1/d/{x}.json"]);
    const matches = (call: string) => new RegExp(added?.pattern ?? "").test(call);
    expect(
      ["GET api.example/v1/d/9.json", "GET eu.example/v1/d/9.json", "GET api.example/v1/d/{x}.json"].map(matches),
    ).toEqual([true, true, true]);
    expect(
      ["POST api.example/v1/d/9.json", "GET api.example/v1/d/9/8.json", "GET api.example/v1/d/9xjson"].map(matches),
    ).toEqual([false, false, false]);
    expect(compare(paths({}), paths({ "/x": get() }))[0]?.urls).toEqual(["https://docs.example/x"]);
  });

  it("leaves out paths with control characters", () => {
    const paths = { "/items": { get: {} }, "/\u0001": { get: {} } };
    const changes = compare({ openapi: "3.1.0", paths: {} }, { openapi: "3.1.0", paths });
    expect(changes.map(({ path }) => path)).toEqual(["/items"]);
  });

  it("finds servers that change, and keeps the calls of the older ones", () => {
    const at = (...urls: object[]) => paths({ "/a/{id}": get() }, { servers: urls });
    const [v1, v2] = [{ url: "https://api.example/v1" }, { url: "https://api.example/v2" }];
    const [moved] = compare(at(v1), at(v2));
    const change = "is at https://api.example/v2, no longer at https://api.example/v1";
    expect(moved?.differences).toMatchObject([{ change, breaking: true }]);
    for (const version of ["v1", "v2"])
      expect(`GET api.example/${version}/a/9`).toMatch(new RegExp(moved?.pattern ?? ""));
    const [added] = compare(at(v1), at(v1, v2));
    expect(added).toMatchObject({ breaking: false, significance: 2 });
    expect(added?.differences).toMatchObject([{ change: "is at https://api.example/v2 too" }]);
    expect(differencesOf(at(v1, v2), at(v2))).toEqual(["!is no longer at https://api.example/v1"]);
    expect(compare(at(v1, v2), at(v2, v1))).toEqual([]);
    const variables = { scheme: { default: "https" }, port: { default: "8443" } };
    const [named] = compare(paths({}), at({ url: "{scheme}://{host}.example:{port}/v1", variables }));
    expect(named?.urls).toEqual(["https://{host}.example:8443/v1/a/{id}"]);
    expect(compare(paths({}), at({ url: "{anything}/v1" }))[0]?.urls).toEqual([]);
  });

  const query = (more: Json = {}) => ({ parameters: [{ in: "query", name: "q", ...more }] });
  const header = { parameters: [{ in: "header", name: "h" }] };
  const sent = (more: Json) => ({
    requestBody: { content: { "application/json": { schema: object({ a: { ...text, ...more } }) } } },
  });
  const withContent = query({ content: { "application/json": { schema: text } } });
  it.each<[string, Json, Json, string, number]>([
    ["a parameter that comes", {}, query(), "query q in requests was added", 2],
    ["a required one", {}, query({ required: true }), "!query q in requests was added and is required", 5],
    ["a parameter that goes", header, {}, "!header h in requests was removed", 5],
    ["a deprecated parameter", query(), query({ deprecated: true }), "query q in requests is deprecated", 4],
    ["its content", withContent, query({ content: {} }), "!query q in requests is no longer application/json", 5],
    ["a response that goes", { responses: { ...ok(text), "201": {} } }, {}, "!201 in responses was removed", 5],
    ["an error that goes", { responses: { ...ok(text), "404": {} } }, {}, "404 in responses was removed", 2],
    ["a body that is required", {}, { requestBody: { required: true } }, "!body in requests was added", 5],
    [
      "another type of content",
      { responses: { "200": { content: { "text/plain": {} } } } },
      { responses: { "200": { content: { "Text/plain; charset=utf-8": {}, "text/csv": {} } } } },
      "200 in responses may be text/csv",
      2,
    ],
    ["a deprecated operation", {}, { deprecated: true }, "is deprecated", 4],
    ["an end", {}, { "x-sunset": "2027-03-31" }, "ends on 2027-03-31", 5],
    [
      "an earlier end",
      { "x-sunset": "2027-03-31" },
      { "x-sunset-date": "2027-01-31" },
      "ends on 2027-01-31 instead of 2027-03-31",
      5,
    ],
    [
      "a later end",
      { "x-sunset": "2027-03-31" },
      { "x-sunset": "2027-12-31" },
      "ends on 2027-12-31 instead of 2027-03-31",
      4,
    ],
    ["an end with its time", {}, { "x-sunset": "2027-03-31T00:00:00Z" }, "ends on 2027-03-31", 5],
    [
      "a later end with a weekday",
      { "x-sunset": "Wed, 31 Mar 2027 00:00:00 GMT" },
      { "x-sunset": "Fri, 1 Oct 2027 00:00:00 GMT" },
      "ends on 1 Oct 2027 instead of 31 Mar 2027",
      4,
    ],
    ["an end that goes", { "x-sunset": "2027-03-31" }, {}, "no longer ends on 2027-03-31", 4],
    [
      "a dated end in a text",
      { description: "Lists." },
      { description: "Lists.\nIt will be removed on 2027-03-31." },
      "announces a deprecation or shutdown (2027-03-31)",
      5,
    ],
    [
      "an end in a text",
      { summary: "List" },
      { summary: "DEPRECATED: list" },
      "announces a deprecation or shutdown",
      4,
    ],
    [
      "one that was there",
      { description: "Deprecated." },
      { description: "Deprecated!" },
      "has another description",
      1,
    ],
    [
      "an end of a parameter",
      query(),
      query({ description: "Deprecated." }),
      "query q in requests announces a deprecation or shutdown",
      4,
    ],
    [
      "an end of a property",
      sent({}),
      sent({ description: "Will be removed on 2027-03-31." }),
      "body.a in requests announces a deprecation or shutdown (2027-03-31)",
      5,
    ],
    ["other tags", {}, { tags: ["a"] }, "has another description", 1],
    ["another summary", { summary: "a" }, { summary: "b" }, "has another description", 1],
  ])("judges %s", (_what, before, after, difference, significance) => {
    const [before0, after0] = [paths({ "/a": get(before) }), paths({ "/a": get(after) })];
    expect(differencesOf(before0, after0)).toEqual([difference]);
    expect(compare(before0, after0)[0]).toMatchObject({ significance, docOnly: significance === 1 });
  });

  const flow = { clientCredentials: { tokenUrl: "https://a.example/token", scopes: {} } };
  const securitySchemes = {
    bearer: { type: "http", scheme: "Bearer" },
    token: { $ref: "#/components/securitySchemes/bearer" },
    key: { type: "apiKey", in: "header", name: "X-Api-Key" },
    cookie: { type: "apiKey", in: "cookie", name: "X-Api-Key" },
    oauth: { type: "oauth2", flows: flow },
    flows: { type: "oauth2", flows: { ...flow, implicit: { authorizationUrl: "https://a.example/ask", scopes: {} } } },
  };
  const [bearer, key, oauth] = [
    "HTTP bearer",
    "the header x-api-key",
    "OAuth 2 (clientCredentials https://a.example/token)",
  ];
  const implicit = "OAuth 2 (implicit https://a.example/ask)";
  it.each<[string, unknown, unknown, string[], number]>([
    ["other credentials", [{ bearer: [] }], [{ key: [] }], [`!requires ${key} instead of ${bearer}`], 5],
    ["a place", [{ key: [] }], [{ cookie: [] }], [`!requires the cookie X-Api-Key instead of ${key}`], 5],
    ["the first credentials", undefined, [{ bearer: [] }], [`!requires ${bearer} instead of no credentials`], 5],
    [
      "further credentials",
      [{ key: [] }],
      [{ key: [], bearer: [] }],
      [`!requires ${key} and ${bearer} instead of ${key}`],
      5,
    ],
    [
      "an alternative that goes",
      [{ bearer: [] }, { key: [] }],
      [{ key: [] }],
      [`!may no longer be called with ${bearer}`],
      5,
    ],
    ["a flow that goes", [{ flows: [] }], [{ oauth: [] }], [`!may no longer be called with ${implicit}`], 5],
    [
      "a scope",
      [{ oauth: ["a"] }],
      [{ oauth: ["a", "b"] }],
      [`!requires ${oauth} and the scope a and the scope b instead of ${oauth} and the scope a`],
      5,
    ],
    ["an alternative that comes", [{ key: [] }], [{ key: [] }, { bearer: [] }], [`may be called with ${bearer}`], 3],
    ["a scope that goes", [{ oauth: ["a"] }], [{ oauth: [] }], [`may be called with ${oauth}`], 3],
    ["no credentials", [{ key: [] }], [], ["may be called with no credentials"], 3],
    ["another name of a scheme", [{ bearer: [] }], [{ token: [] }], [], 0],
    ["another order", [{ bearer: [] }, { key: [] }], [{ key: [] }, { bearer: [] }], [], 0],
  ])("judges %s to call an operation, of the document and its own", (_what, old, now, differences, significance) => {
    const own = (security: unknown) =>
      paths({ "/a": get({ security }) }, { components: { securitySchemes }, security: [{ none: [] }] });
    const global = (security: unknown) => paths({ "/a": get() }, { components: { securitySchemes }, security });
    for (const at of old ? [own, global] : [global]) {
      expect(differencesOf(at(old), at(now))).toEqual(differences);
      expect(compare(at(old), at(now))[0]?.significance ?? 0).toBe(significance);
    }
  });

  it("takes what a document did not say, or does not define, for unknown", () => {
    const silent = paths({ "/a": get() });
    const undefinedScheme = paths({ "/a": get() }, { security: ["key", { other: [] }] });
    const stated = paths({ "/a": get() }, { components: { securitySchemes }, security: [{ bearer: [] }] });
    for (const before of [silent, undefinedScheme]) {
      expect(differencesOf(before, stated)).toEqual([`may be called with ${bearer}`]);
      expect(differencesOf(stated, before)).toEqual([]);
    }
  });

  it("reads a list without a value as none of an operation's own", () => {
    const at = (own: Json) => paths({ "/a": get(own) }, { components: { securitySchemes }, security: [{ key: [] }] });
    expect(compare(at({}), at({ security: null }))).toEqual([]);
  });

  it("does not judge the order of many alternatives", () => {
    const security = Array.from({ length: 30 }, (_, index) => ({ oauth: [`scope-${index}`] }));
    const at = (list: unknown[]) => paths({ "/a": get() }, { components: { securitySchemes }, security: list });
    expect(differencesOf(at(security), at([...security].reverse()))).toEqual([]);
  });

  it("counts the length of an older text, too, that many operations have in common", () => {
    const at = (description: string) =>
      paths(
        Object.fromEntries(
          Array.from({ length: 100 }, (_, index) => [
            `/${index}`,
            get({ responses: { 200: { $ref: "#/components/responses/common" } } }),
          ]),
        ),
        { components: { responses: { common: { description } } } },
      );
    const compareWith = (before: Json, after: Json) =>
      compareOperations({ document: before, url }, { document: after, url }, 50_000);
    expect(() => compareWith(at("a\n".repeat(20_000)), at("b"))).toThrow("too much work");
  });

  it("finds another scheme under the same name", () => {
    const at = (scheme: Json) =>
      paths({ "/a": get() }, { components: { securitySchemes: { key: scheme } }, security: [{ key: [] }] });
    expect(differencesOf(at(securitySchemes.bearer), at(securitySchemes.key))).toEqual([
      `!requires ${key} instead of ${bearer}`,
    ]);
  });

  it("has a summary of what matters most, as long as it may be", () => {
    const before = paths(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`/a/${index}`, get()])));
    const after = paths({ ...before.paths, "/a/7": get({ responses: ok({ type: "integer" }) }), "/b": get() });
    expect(summarizeOperations(compare(before, after))).toBe(
      "GET /a/7 breaks clients: 200 in responses is integer instead of string. GET /b was added.",
    );
    const [old, deprecated] = [paths({ "/a": get() }), paths({ "/a": get({ deprecated: true }) })];
    expect(summarizeOperations(compare(old, deprecated))).toBe("GET /a is deprecated.");
    const moved = { ...before, servers: [{ url: "https://new.example" }] };
    expect(summarizeOperations(compare(before, moved))).toBe(
      "GET /a/0 (and 29 other operations) breaks clients: is at https://new.example, no longer at https://docs.example.",
    );
    const long = summarizeOperations(compare(before, paths({ "/b": get() })));
    expect([long.length <= 500, /And \d+ more operations changed\.$/.test(long)]).toEqual([true, true]);
  });

  it("ends beyond the work that it may do", () => {
    const count = 100;
    const refer = (index: number) => ({ $ref: `#/components/schemas/S${index % count}` });
    const indexes = Array.from({ length: count }, (_, index) => index);
    const many = (leaf: string) => ({
      ...paths(Object.fromEntries(indexes.map((index) => [`/${index}`, get({ responses: ok(refer(index)) })]))),
      components: {
        schemas: Object.fromEntries(
          indexes.map((index) => [
            `S${index}`,
            object({ next: refer(index + 1), ...(index === 0 && { leaf: { type: leaf } }) }),
          ]),
        ),
      },
    });
    const [before, after] = [many("string"), many("integer")];
    expect(compare(before, after)).toHaveLength(count);
    const work = (limit: number) => compareOperations({ document: before, url }, { document: after, url }, limit);
    expect(() => work(count * count)).toThrow(new OpenApiError("the document needs too much work to be compared"));
  });
});

describe("random documents", () => {
  const random = seededRandom("documents");
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;
  const names = ["A", "B", "C"];
  function schema(depth: number): Json {
    const deep = depth < 3 ? ["object", "array", "oneOf", "allOf"] : [];
    const kind = pick(["string", "integer", "enum", "ref", ...deep]);
    if (kind === "enum") return { enum: [pick(["a", "b"]), "c"] };
    if (kind === "ref") return { $ref: `#/components/schemas/${pick(names)}` };
    if (kind === "array") return { type: "array", items: schema(depth + 1) };
    if (kind === "oneOf" || kind === "allOf") return { [kind]: [schema(depth + 1), schema(depth + 1)] };
    if (kind !== "object") return { type: kind, ...(random() < 0.2 && { description: pick(["x", "y"]) }) };
    const properties = Object.fromEntries(names.filter(() => random() < 0.6).map((name) => [name, schema(depth + 1)]));
    return { type: "object", properties, required: names.filter(() => random() < 0.3) };
  }
  const document = (): Json => ({
    openapi: "3.1.0",
    paths: Object.fromEntries(
      ["/a", "/b/{id}", "/c"]
        .filter(() => random() < 0.8)
        .map((path) => [
          path,
          Object.fromEntries(
            ["get", "post"]
              .filter(() => random() < 0.7)
              .map((method) => [
                method,
                { requestBody: { content: { "application/json": { schema: schema(0) } } }, responses: ok(schema(0)) },
              ]),
          ),
        ]),
    ),
    components: { schemas: Object.fromEntries(names.map((name) => [name, schema(1)])) },
  });
  function reverseKeys(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(reverseKeys);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, each]) => [key, reverseKeys(each)]),
    );
  }
  const keysOf = (changes: ReturnType<typeof compare>, kind: string) =>
    changes
      .filter((each) => each.kind === kind)
      .map(({ method, path }) => `${method} ${path}`)
      .sort();

  it("do not differ from themselves, whatever the order of keys, and exchanged they gain what they lost", () => {
    for (let round = 0; round < propertyRuns(300); round += 1) {
      const [before, after] = [document(), document()];
      expect(compare(before, reverseKeys(before) as Json)).toEqual([]);
      const [forth, back] = [compare(before, after), compare(after, before)];
      expect(keysOf(forth, "added")).toEqual(keysOf(back, "removed"));
      expect(keysOf(forth, "changed")).toEqual(keysOf(back, "changed"));
      expect(forth.every(({ breaking, significance }) => breaking === (significance === 5))).toBe(true);
    }
  });
});
