import { AsyncLocalStorage } from "node:async_hooks";
import type * as z from "zod";
import { environmentSchema } from "./variables";

/** The variables of the environment, which only this file reads. */
export type Config = z.infer<typeof environmentSchema>;

type Environment = Record<string, string | undefined>;

/** What is wrong with a variable. The message contains no secret. */
export type VariableProblem = { name: string; message: string };

/** The environment is not valid. The message has one line per variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";

  constructor(readonly problems: readonly VariableProblem[]) {
    const lines = problems.map(({ name, message }) => `  ${name}: ${message}`);
    super(`The environment is not valid:\n${lines.join("\n")}\nSee content/docs/configuration.md.`);
  }
}

/** Parses an environment. An empty value counts as unset. Throws ConfigError. */
export function parseConfig(environment: Environment): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const result = environmentSchema.safeParse(given);
  if (result.success) return result.data;
  const problems = new Map<string, VariableProblem>();
  for (const { path, message } of result.error.issues) {
    const name = String(path[0]);
    if (!problems.has(name)) problems.set(name, { name, message });
  }
  throw new ConfigError([...problems.values()]);
}

let current: Config | undefined;
const overridden = new AsyncLocalStorage<{ config?: Config; environment: Environment }>();

/** Returns the configuration of this process, parsed once. Throws ConfigError. */
export function config(): Config {
  const override = overridden.getStore();
  if (override) {
    override.config ??= parseConfig(override.environment);
    return override.config;
  }
  current ??= parseConfig(process.env);
  return current;
}

/** Runs `work` with another environment instead of the process's. */
export function withEnvironment<T>(environment: Environment, work: () => T): T {
  return overridden.run({ environment }, work);
}

/** Returns the environment for a child process: the current one with changes. `undefined` removes a variable. */
export function childEnvironment(changes: Environment = {}): NodeJS.ProcessEnv {
  return { ...(overridden.getStore()?.environment ?? process.env), ...changes } as NodeJS.ProcessEnv;
}

/**
 * Whether this is a build of a CI system. Most set `CI`, which workflows set to `false` for other tools; GitHub, Azure Pipelines,
 * Jenkins and TeamCity have variables of their own.
 */
export function isCi(): boolean {
  const { CI, GITHUB_ACTIONS, TF_BUILD, JENKINS_URL, TEAMCITY_VERSION } = childEnvironment();
  if (CI && !/^(?:false|0)$/i.test(CI)) return true;
  return Boolean(GITHUB_ACTIONS || TF_BUILD || JENKINS_URL || TEAMCITY_VERSION);
}

/** Sets variables of this process, for libraries that read them. */
export function setVariables(values: Readonly<Record<string, string>>): void {
  Object.assign(process.env, values);
}

/** Whether this code runs as Next bundled it. */
export const isNextBundle: boolean = process.env.NEXT_RUNTIME !== undefined;

/** Whether a process that runs TypeScript has worker threads run their bundles: the tests, after they have built the app. */
export const usesBundledWorkers: boolean = process.env.TAPEDECK_BUNDLED_WORKERS === "1";

/** Slugs of all docs pages, which `next.config.ts` inlines into a production build; undefined outside of one. */
export const docsSlugs: readonly string[] | undefined = process.env.TAPEDECK_DOCS_SLUGS?.split(" ");

/** Date of the build, `YYYY-MM-DD`, which `next.config.ts` inlines; outside a build, today. */
export const buildDate: string = process.env.TAPEDECK_BUILD_DATE ?? new Date().toISOString().slice(0, 10);
