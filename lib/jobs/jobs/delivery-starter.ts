import type { RunContext } from "../job";
import { deliverDue } from "./deliver-webhooks-job";

/** Starts deliveries as events come in, one sweep at a time, so that subscribers need not wait for the next run. */
export type DeliveryStarter = {
  start: () => void;
  /** Settles when what was started is done. */
  settled: () => Promise<void>;
};

export function createDeliveryStarter(context: RunContext): DeliveryStarter {
  let sweep: Promise<void> | undefined;
  let isWanted = false;
  const run = async () => {
    while (isWanted) {
      isWanted = false;
      await deliverDue(context).catch((error: unknown) =>
        context.log.warn({ err: error }, "deliveries could not be started; the next run of the job has them"),
      );
    }
    sweep = undefined;
  };
  return {
    start: () => {
      isWanted = true;
      sweep ??= run();
    },
    settled: async () => sweep,
  };
}
