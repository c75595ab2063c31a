import { spawn } from "node:child_process";
import { once } from "node:events";

/** A busy process ends by itself after two minutes, in case the test was killed. */
const busyLoop = "for (const endMs = Date.now() + 120_000; Date.now() < endMs; );";

/** Runs `work` while this many processes keep the machine's processors busy. */
export async function besideBusyProcesses<T>(count: number, work: () => Promise<T>): Promise<T> {
  const children = Array.from({ length: count }, () => spawn(process.execPath, ["-e", busyLoop], { stdio: "ignore" }));
  try {
    return await work();
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(
      children.map((child) => child.exitCode === null && child.signalCode === null && once(child, "exit")),
    );
  }
}
