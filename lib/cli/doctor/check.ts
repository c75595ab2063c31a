import { withTimeout } from "#lib/platform/with-timeout";

/** The result of one check of the installation. */
export type Check = {
  /** `warn` works, but not as it should; `fail` does not work. */
  status: "ok" | "warn" | "fail";
  name: string;
  /** What was seen; contains no secret. */
  seen: string;
  /** What to do, unless it is ok. */
  advice?: string;
};

export const ok = (name: string, seen: string): Check => ({ status: "ok", name, seen });
export const warn = (name: string, seen: string, advice: string): Check => ({ status: "warn", name, seen, advice });
export const fail = (name: string, seen: string, advice: string): Check => ({ status: "fail", name, seen, advice });

/** Time of a check beside that of its longest answer, in milliseconds. */
const otherWorkMs = 2_000;

/** Returns the first line of an error's message, or of its cause, which says more. */
function reasonOf(error: unknown, secrets: readonly string[]): string {
  const { message, cause } = error as Error;
  const text = (cause instanceof Error && cause.message) || message || String((error as NodeJS.ErrnoException).code);
  // The runtime quotes a header that is not valid.
  const masked = secrets.reduce((masking, secret) => masking.replaceAll(secret, "<secret>"), text);
  return masked.split("\n")[0]?.trim() ?? "";
}

/**
 * Runs a check, which gets the time that an answer may take, in milliseconds. One that takes two seconds longer or throws has
 * failed; `advice` says what to do then.
 */
export type RunCheck = (
  name: string,
  advice: string,
  work: (timeoutMs: number) => Promise<Check[]>,
) => Promise<Check[]>;

/** Returns a function that runs checks, and masks these texts in what they throw. */
export function checkRunner(secrets: readonly string[], timeoutMs: number): RunCheck {
  return async (name, advice, work) => {
    try {
      return await withTimeout(timeoutMs + otherWorkMs, () => work(timeoutMs));
    } catch (error) {
      return [fail(name, reasonOf(error, secrets), advice)];
    }
  };
}

/** Returns a check as one line. */
export function lineOf({ status, name, seen, advice }: Check): string {
  return `${status.padEnd(4)}  ${name.padEnd(16)}  ${seen}${advice ? ` → ${advice}` : ""}\n`;
}
