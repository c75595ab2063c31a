/**
 * One wish to stop for the whole process: Ctrl-C, SIGTERM, a closed terminal, or npm killed above us. Whoever waits
 * for something long listens to its AbortSignal; whoever holds something puts it away in the end.
 */
const parentPollMs = 500;
const key = Symbol.for("tapedeck.stop-request");

/** npm, killed by force, cannot pass that on; its child then gets another parent. */
function watchParent(stop) {
  if (!["up", "dev"].includes(process.env.npm_lifecycle_event ?? "")) return;
  const parentPid = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parentPid) return;
    clearInterval(timer);
    stop();
  }, parentPollMs);
  timer.unref();
}

/** Begins to listen at the first call. From then on signals do not end the process by themselves. */
export function stopRequest() {
  if (!globalThis[key]) {
    const controller = new AbortController();
    const stop = () => controller.abort();
    // Ctrl-C comes twice under npm, which passes on what the terminal sent already: later ones change nothing.
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, stop);
    // A closed terminal makes writing fail; that must not keep anything from being put away.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
    watchParent(stop);
    globalThis[key] = { signal: controller.signal };
  }
  return globalThis[key];
}
