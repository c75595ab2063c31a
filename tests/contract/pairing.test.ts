import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { getPathMatch } from "next/dist/shared/lib/router/utils/path-match";
import { describe, expect, it } from "vitest";
import { groups } from "#app/bindings";
import { endpoints, getOpenApiDocument } from "#app/endpoints";
import type { Endpoint } from "#lib/contract/endpoint";
import { cronJobs } from "#lib/jobs/index";
import { bindingsAt, findGroup } from "#lib/server/http/bindings";
import nextConfig from "../../next.config";

const root = resolve(import.meta.dirname, "../..");
const appFolder = join(root, "app");

/** Catch-all routes, and the paths whose requests Next.js passes to them. */
const catchAll = {
  "api/[[...path]]": /^\/api(?:\/|$)/,
  "api/cron/[job]": /^\/api\/cron\/[^/]+$/,
  "v1/[[...path]]": /^\/(?:v1|model)\//,
  "v1beta/[[...path]]": /^\/v1beta\//,
  documents: /^\/(?!api\/|v1\/|v1beta\/|model\/)/,
};
/** Routes that are not endpoints: the pages' share images. */
const notEndpoints = ["og/[[...path]]"];

const routeFiles = readdirSync(appFolder, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\/route\.tsx?$/.test(file));

/** A path of an endpoint, with a value for each parameter. */
const exampleOf = ({ path }: { path: string }) => path.replaceAll(/\{\w+\}/g, "x");

describe("the interface", () => {
  it("has a group for each declaration, which binds it and only it to its path and method", async () => {
    const wrong: string[] = [];
    for (const endpoint of endpoints) {
      const group = findGroup(groups, exampleOf(endpoint));
      const { bindings } = (await group?.load()) ?? { bindings: [] };
      const bound = bindingsAt(bindings, exampleOf(endpoint)).filter((one) => one.endpoint.method === endpoint.method);
      if (bound.length !== 1 || bound[0]?.endpoint !== endpoint) wrong.push(`${endpoint.method} ${endpoint.path}`);
    }
    expect(wrong).toEqual([]);
  });

  it("binds only declared endpoints", async () => {
    const loaded = await Promise.all(groups.map(({ load }) => load()));
    const bound = loaded.flatMap(({ bindings }) => bindings.map(({ endpoint }) => endpoint));
    expect(bound.filter((endpoint) => !endpoints.includes(endpoint))).toEqual([]);
    expect(bound).toHaveLength(endpoints.length);
  });

  it("has the agreed route files, and next.config.ts passes each document to one of them", async () => {
    const expected = [...Object.keys(catchAll), ...notEndpoints].sort();
    expect(routeFiles.map((file) => file.replace(/\/route\.tsx?$/, "")).sort()).toEqual(expected);
    const rewrites = (await nextConfig.rewrites?.()) as { afterFiles: { source: string; destination: string }[] };
    const toDocuments = rewrites.afterFiles
      .filter(({ destination }) => destination === "/documents")
      .map(({ source }) => getPathMatch(source, { removeUnnamedParams: true, strict: true }));
    const documents = endpoints.filter(({ path }) => catchAll.documents.test(path)).map(exampleOf);
    expect(documents.filter((path) => !toDocuments.some((match) => match(path)))).toEqual([]);
  });

  it("gives each route the longest time limit that one of its endpoints declares", () => {
    for (const [folder, paths] of Object.entries(catchAll)) {
      const served = endpoints.filter((endpoint) => paths.test(exampleOf(endpoint)));
      const declared = Math.max(0, ...served.map(({ maxDurationSeconds = 0 }) => maxDurationSeconds));
      const source = readFileSync(join(appFolder, folder, "route.ts"), "utf8");
      const given = Number(/^export const maxDuration = (\d+);$/m.exec(source)?.[1] ?? 0);
      expect([folder, given]).toEqual([folder, declared]);
    }
  });

  it("declares a time limit for each endpoint that can answer with a stream of events", () => {
    const isStream = ({ responses }: Endpoint) =>
      Object.values(responses).some(({ body, otherBodies = [] }) =>
        [body, ...otherBodies].some((one) => one?.type === "text/event-stream"),
      );
    const unbounded = endpoints.filter((one) => isStream(one) && one.maxDurationSeconds !== 300);
    // Sends a recorded stream as a file, at once.
    expect(unbounded.map(({ id }) => id)).toEqual(["downloadCassette"]);
  });

  it("documents each endpoint in OpenAPI exactly once", () => {
    const document = JSON.parse(getOpenApiDocument({ origin: "http://127.0.0.1:3000" })) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    );
    expect(operations.sort()).toEqual(endpoints.map(({ method, path, id }) => `${method} ${path} ${id}`).sort());
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(endpoints.length);
  });

  it("has a cron in vercel.json for each job, and a job for each cron", () => {
    const { crons } = JSON.parse(readFileSync(join(root, "vercel.json"), "utf8")) as { crons: { path: string }[] };
    expect(crons.map(({ path }) => path).sort()).toEqual(cronJobs.map(({ name }) => `/api/cron/${name}`).sort());
  });

  it("has only the agreed files at the top level", () => {
    const agreed =
      /^(app|lib|prisma|content|public|tests|next\.config\.ts|package(-lock)?\.json|tsconfig\.json|vercel\.json|README\.md|LICENSE|CHANGELOG\.md|CONTRIBUTING\.md|AGENTS\.md|instrumentation\.ts|proxy\.ts|next-env\.d\.ts|biome\.json|prisma\.config\.ts|vitest\.config\.ts|node_modules|\..*|.*\.tsbuildinfo)$/;
    expect(readdirSync(root).filter((name) => !agreed.test(name))).toEqual([]);
    for (const name of ["README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "AGENTS.md", "vercel.json"]) {
      expect([name, existsSync(join(root, name))]).toEqual([name, true]);
    }
  });
});
