import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { endpoints, getOpenApiDocument } from "#app/endpoints";
import { cronJobs } from "#lib/jobs/index";

const root = resolve(import.meta.dirname, "../..");
const appFolder = join(root, "app");

/** Converts `api/v1/replay/[vertical]/[cookbook]/route.ts` to `/api/v1/replay/{vertical}/{cookbook}`. */
function pathOfRoute(file: string): string {
  return `/${file
    .replaceAll("\\", "/")
    .replace(/\/route\.tsx?$/, "")
    .split("/")
    .filter((part) => !/^\(.*\)$/.test(part))
    .map((part) => part.replace(/^\[(.+)\]$/, "{$1}"))
    .join("/")}`;
}

const routeFiles = readdirSync(appFolder, { recursive: true, encoding: "utf8" }).filter((file) =>
  /route\.tsx?$/.test(file),
);
/** Routes that are not endpoints: the JSON 404, raw docs files, and the pages' share images. */
const notEndpoints = new Set([
  "/api/{[...unmatched]}",
  "/v1/{[...unmatched]}",
  "/v1beta/{[...unmatched]}",
  "/docs/raw/{...slug}",
  "/og/{[...path]}",
]);
const routePaths = routeFiles.map(pathOfRoute).filter((path) => !notEndpoints.has(path));

describe("the interface", () => {
  const declaredPaths = new Set(endpoints.map(({ path }) => path));

  it("has a declaration in app/endpoints.ts for each route file", () => {
    expect(routePaths.filter((path) => !declaredPaths.has(path))).toEqual([]);
  });

  it("has a route file for each declaration", () => {
    expect([...declaredPaths].filter((path) => !routePaths.includes(path))).toEqual([]);
  });

  it("binds each declaration in the route file of its path", () => {
    const sources = readdirSync(join(root, "lib"), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith("endpoints.ts"))
      .map((file) => readFileSync(join(root, "lib", file), "utf8"));
    const declarations = sources.flatMap((text) => [
      ...text.matchAll(/^export const (\w+Endpoint) =[\s\S]*?\bid: "(\w+)"/gm),
    ]);
    const nameOf = new Map(declarations.map(([, name, id]) => [id, name]));
    const unbound = endpoints.filter(({ path, id }) => {
      const file = routeFiles.find((candidate) => pathOfRoute(candidate) === path);
      return !file || !readFileSync(join(appFolder, file), "utf8").includes(`handle(${nameOf.get(id)}, `);
    });
    expect(unbound.map(({ path, id }) => `${id} in the route file of ${path}`)).toEqual([]);
  });

  it("has short route files", () => {
    const isLong = (file: string) => readFileSync(join(appFolder, file), "utf8").split("\n").length > 20;
    expect(routeFiles.filter((file) => !notEndpoints.has(pathOfRoute(file)) && isLong(file))).toEqual([]);
  });

  it("documents each endpoint in OpenAPI exactly once", () => {
    const document = getOpenApiDocument({ origin: "http://127.0.0.1:3000" }) as {
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
