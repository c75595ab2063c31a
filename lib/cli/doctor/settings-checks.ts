import type { Config, VariableProblem } from "#lib/platform/config";
import { isLoopbackHost } from "#lib/platform/loopback";
import { type Check, fail, ok, warn } from "./check";

/** One check for each invalid variable. */
export function checkVariables(problems: readonly VariableProblem[]): Check[] {
  if (problems.length === 0) return [ok("configuration", "every variable is valid")];
  return problems.map(({ name, message }) =>
    fail("configuration", `${name}: ${message}`, "correct it; content/docs/configuration.md describes each variable"),
  );
}

const testedMajors = [20, 22, 24];

export function checkNode(version: string): Check {
  const major = Number(version.split(".")[0]);
  if (testedMajors.includes(major)) return ok("node", `Node.js ${version}`);
  return warn("node", `Node.js ${version}`, `Tapedeck is tested with Node.js ${testedMajors.join(", ")}`);
}

type OriginSettings = Pick<Config, "BASE_URL" | "HOST" | "TRUST_PROXY" | "VERCEL">;

/** Checks that the public URL fits how the server can be reached; the server itself speaks only http. */
export function checkBaseUrl({ BASE_URL, HOST, TRUST_PROXY, VERCEL }: OriginSettings): Check {
  const name = "base-url";
  if (BASE_URL === undefined) {
    if (VERCEL || isLoopbackHost(HOST)) return ok(name, "unset; URLs follow the request");
    const advice = "set BASE_URL to the public URL: without it, clients choose the host of every URL";
    return warn(name, `unset, and the server listens on ${HOST}`, advice);
  }
  const { protocol, hostname } = new URL(BASE_URL);
  const isPublic = !isLoopbackHost(hostname);
  if (isPublic && protocol === "http:")
    return warn(name, BASE_URL, "use https: keys and webhook secrets would be sent in the clear");
  if (protocol === "https:" && !VERCEL && !TRUST_PROXY) {
    const advice =
      "set TRUST_PROXY to the number of proxies: the server speaks http, and does not believe that clients use https";
    return warn(name, `${BASE_URL}, but no proxy is trusted`, advice);
  }
  return ok(name, BASE_URL);
}

/** Checks that what is on has its secrets. */
export function checkSecrets(settings: Config): Check[] {
  const name = "secrets";
  const checks: Check[] = [];
  const { VERCEL, CRON_SECRET, CASSETTE_STORE, BLOB_READ_WRITE_TOKEN, ANALYSIS_MODEL } = settings;
  if (VERCEL && !CRON_SECRET) checks.push(fail(name, "no job can run", "set CRON_SECRET"));
  if (CASSETTE_STORE === "blob" && !BLOB_READ_WRITE_TOKEN)
    checks.push(fail(name, "CASSETTE_STORE is blob, without its token", "set BLOB_READ_WRITE_TOKEN"));
  const modelNeeds = ANALYSIS_MODEL?.startsWith("anthropic:")
    ? { key: settings.ANALYSIS_API_KEY ?? settings.ANTHROPIC_API_KEY, variable: "ANALYSIS_API_KEY" }
    : { key: settings.ANALYSIS_BASE_URL, variable: "ANALYSIS_BASE_URL" };
  if (ANALYSIS_MODEL && !modelNeeds.key)
    checks.push(fail(name, "the model is not configured completely", `set ${modelNeeds.variable}`));
  return checks.length > 0 ? checks : [ok(name, "what is configured is configured completely")];
}
