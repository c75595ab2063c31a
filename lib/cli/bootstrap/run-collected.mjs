import { signalChild, startChild } from "./children.mjs";
import { packageRoot } from "./package-root.mjs";

const outputLimitLength = 1024 * 1024;
/** Between the polite and the forced end of a child that shall stop. */
const stopTimeoutMs = 5_000;

/**
 * Runs a program to its end and collects what it writes. After `timeoutMs`, or when `signal` is aborted, it is ended
 * with everything it started. Rejects where it cannot be started and on an aborted signal.
 */
export function runCollected(file, words, { env = process.env, signal, folder = packageRoot, timeoutMs }) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const child = startChild(file, words, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const collect = (chunk) => {
      output = (output + chunk).slice(-outputLimitLength);
    };
    child.stdout.setEncoding("utf8").on("data", collect);
    child.stderr.setEncoding("utf8").on("data", collect);
    let force;
    const stop = () => {
      signalChild(child.pid, "SIGTERM");
      force = setTimeout(() => signalChild(child.pid, "SIGKILL"), stopTimeoutMs);
    };
    const timer = setTimeout(() => {
      collect(`\nNot done after ${timeoutMs / 1_000} s.\n`);
      stop();
    }, timeoutMs);
    signal?.addEventListener("abort", stop, { once: true });
    const settle = () => {
      clearTimeout(timer);
      clearTimeout(force);
      signal?.removeEventListener("abort", stop);
    };
    child.once("error", (error) => {
      settle();
      reject(error);
    });
    child.once("close", (exitCode, exitSignal) => {
      settle();
      if (signal?.aborted) reject(signal.reason);
      else resolve({ exitCode, ending: exitSignal ?? `exit code ${exitCode}`, output: output.trim() });
    });
  });
}
