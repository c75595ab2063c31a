import { describe, expect, it } from "vitest";
import { endpoints } from "#app/endpoints";
import { endpointTags } from "#lib/contract/endpoint";
import type { ErrorCode } from "#lib/platform/errors";
import { getReference, listReferenceGroups } from "#lib/server/openapi/index";
import { schemaRows, typeOf } from "#lib/server/openapi/reference/schema-rows";

const origin = "https://replay.example.com";
const groups = getReference(endpoints, {
  origin,
  known: { "streamReplay.vertical": "legal", "streamReplay.cookbook": "nda-review" },
});
const operations = groups.flatMap((group) => group.operations);
const operation = (id: string) => {
  const found = operations.find((one) => one.id === id);
  if (!found) throw new Error(`There is no operation ${id}.`);
  return found;
};

describe("the reference", () => {
  it("lists every operation once, under its tag", () => {
    expect(operations.map(({ id }) => id).sort()).toEqual(endpoints.map(({ id }) => id).sort());
    expect(listReferenceGroups(endpoints).map(({ slug }) => slug)).toEqual(groups.map(({ slug }) => slug));
    expect(groups.map(({ title }) => title).sort()).toEqual(Object.keys(endpointTags).sort());
    for (const { slug, title, description } of groups) {
      expect([title, /^[a-z][a-z-]+$/.test(slug), description !== ""]).toEqual([title, true, true]);
    }
  });

  it("declares the 400 of every endpoint whose query or body is validated", () => {
    const validated = endpoints.filter(({ query, body }) => query || body);
    expect(validated.filter(({ errors }) => !errors.bad_request).map(({ id }) => id)).toEqual([]);
  });

  it("lists every error code that an endpoint declares, with its status", () => {
    for (const endpoint of endpoints) {
      if (endpoint.errorShape !== undefined && endpoint.errorShape !== "tapedeck") continue;
      const codes = operation(endpoint.id).errors.map(({ code }) => code);
      const { errorTypes = {} } = endpoint;
      // A page has no code.
      const isPage = (code: string) => errorTypes[code as ErrorCode]?.join() === "text/html";
      const expected = Object.keys(endpoint.errors).map((code) => (isPage(code) ? null : code));
      expect([endpoint.id, codes]).toEqual([endpoint.id, expect.arrayContaining(expected)]);
      const named = codes.filter((code) => code !== null);
      expect([endpoint.id, named]).toEqual([endpoint.id, [...new Set(named)]]);
    }
    const { errors } = operation("getFeed");
    expect(errors).toContainEqual({ status: "400", code: "invalid_cursor", text: "`cursor` is not a UUID." });
    expect(errors.filter(({ status }) => status === "400")).toHaveLength(2);
  });

  it("says of each answer what its fields are, those within others too", () => {
    const [answer] = operation("getFeed").responses;
    const rows = answer?.body?.rows ?? [];
    expect(rows).toContainEqual({
      name: "feed[].vendor.slug",
      depth: 2,
      type: "string",
      isRequired: true,
      description: "",
    });
    expect(rows.find(({ name }) => name === "feed[].diff_content")).toMatchObject({
      type: "DiffContent or null",
      isRequired: false,
    });
  });

  it("has a curl command for each operation, with the key only if one is needed", () => {
    expect(operation("streamReplay").curl).toBe(`curl -N ${origin}/api/v1/replay/legal/nda-review`);
    expect(operation("searchSite").curl).toBe(`curl '${origin}/api/v1/search?q=break%20clause'`);
    expect(operation("deleteWebhook").curl).toBe(
      `curl -X DELETE "${origin}/api/v1/webhooks?id=$ID" \\\n  -H "Authorization: Bearer $KEY"`,
    );
    expect(operation("redeliverWebhook").curl).toContain("/$ID/deliveries/$DELIVERY_ID/redeliver");
    for (const { id, auth, curl } of operations) {
      expect([id, curl.startsWith("curl ")]).toEqual([id, true]);
      if (auth === "required") expect([id, curl.includes("Bearer $KEY")]).toEqual([id, true]);
      if (auth === "none") expect([id, curl.includes("$KEY")]).toEqual([id, false]);
    }
  });

  it("can try out only anonymous GET operations", () => {
    const tried = operations.filter(({ canBeTried }) => canBeTried);
    expect(tried.length).toBeGreaterThan(20);
    for (const { id, method, auth, minimumTier } of tried) {
      expect([id, method, auth === "required", minimumTier]).toEqual([id, "GET", false, null]);
    }
    expect(operation("runCronJob").canBeTried).toBe(false);
    expect(operation("streamMcpSession").canBeTried).toBe(false);
  });
});

describe("the fields of a schema", () => {
  it("end where a schema is recursive", () => {
    const node = {
      type: "object",
      properties: {
        name: { type: "string" },
        children: { type: "array", items: { $ref: "#/components/schemas/Node" } },
      },
    };
    const rows = schemaRows({ $ref: "#/components/schemas/Node" }, { Node: node });
    expect(rows.map(({ name }) => name)).toEqual(["name", "children"]);
    expect(rows[1]?.type).toBe("list of Node");
  });

  it("are limited in depth and number", () => {
    let deep: Record<string, unknown> = { type: "string" };
    for (let depth = 0; depth < 50; depth++) deep = { type: "object", properties: { in: deep } };
    expect(schemaRows(deep, {}).length).toBeLessThan(10);
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`f${at}`, { type: "string" }]));
    expect(schemaRows({ type: "object", properties: wide }, {}).length).toBeLessThan(200);
  });

  it("describe their types", () => {
    expect(typeOf({ type: "string", format: "uuid" }, {})).toBe("string (uuid)");
    expect(typeOf({ anyOf: [{ type: "integer" }, { type: "null" }] }, {})).toBe("integer or null");
    expect(typeOf({ enum: ["a", "b"] }, {})).toBe('"a" | "b"');
    expect(typeOf({ const: true }, {})).toBe("true");
    expect(typeOf({ $ref: "#/components/schemas/Gone" }, {})).toBe("any value");
  });
});
