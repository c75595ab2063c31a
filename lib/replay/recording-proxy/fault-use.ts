import type { CallFault } from "./proxy-faults";

/** Which faults of a test have acted: one that never does may hide a mistake in the test. */
export class FaultUse {
  readonly #faults: readonly CallFault[];
  readonly #used = new Set<CallFault>();
  readonly #reasons = new Map<CallFault, string>();

  constructor(faults: readonly CallFault[]) {
    this.#faults = faults;
  }

  at(call: number): CallFault | undefined {
    return this.#faults.find((fault) => fault.call === call);
  }

  markUsed(fault: CallFault): void {
    this.#used.add(fault);
  }

  /** Notes an answer that was played with a fault, or why the fault could not act on it. */
  markPlayed(fault: CallFault, idle: string | undefined): void {
    if (idle === undefined) this.markUsed(fault);
    else this.#reasons.set(fault, idle);
  }

  /** Returns a note for each fault that has not acted in so many calls. */
  describeUnused(callCount: number): string[] {
    return this.#faults.flatMap((fault, index) => {
      if (this.#used.has(fault)) return [];
      const { call } = fault;
      const isSecond = this.at(call) !== fault;
      const other = isSecond ? `call ${call} has another fault` : `the answer to call ${call} was not played`;
      const why = call > callCount ? `number of calls: ${callCount}` : (this.#reasons.get(fault) ?? other);
      return [`Fault ${index + 1} was not used; ${why}.`];
    });
  }
}
