import { fileURLToPath } from "node:url";
import type { LoadJob, LoadMessage, LoadResult } from "./load-job";
import { type StartedProcess, startNode } from "./processes";

/** The parent's handle of the load process. */
export type LoadGenerator = {
  process: StartedProcess;
  /** Runs a job; `onEnded` is called as soon as its last stream has ended. */
  run: (job: LoadJob, onEnded: () => void) => Promise<LoadResult>;
};

/** Starts the load process. */
export async function startLoadGenerator(): Promise<LoadGenerator> {
  const script = fileURLToPath(new URL("load.ts", import.meta.url));
  const loader = startNode("load generator", ["--import", "tsx", script], {});
  await nextMessage(loader, "ready");
  return {
    process: loader,
    run: async (job, onEnded) => {
      const answers = Promise.all([nextMessage(loader, "result"), nextMessage(loader, "ended").then(onEnded)]);
      loader.child.send(job);
      const [{ result }] = await answers;
      return result;
    },
  };
}

type MessageOf<Type extends LoadMessage["type"]> = Extract<LoadMessage, { type: Type }>;

function nextMessage<Type extends LoadMessage["type"]>(
  { child, output }: StartedProcess,
  type: Type,
): Promise<MessageOf<Type>> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      child.off("message", onMessage);
      child.off("exit", onExit);
    };
    const onMessage = (message: LoadMessage) => {
      if (message.type !== type) return;
      stop();
      resolve(message as MessageOf<Type>);
    };
    const onExit = () => {
      stop();
      reject(new Error(`the load generator ended; it wrote:\n${output()}`));
    };
    child.on("message", onMessage);
    child.on("exit", onExit);
  });
}
