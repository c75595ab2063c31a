import type { ServerResponse } from "node:http";
import { ClientSlots } from "#lib/platform/client-slots";
import { AppError } from "#lib/platform/errors";
import { observer } from "#lib/platform/observer";
import { networkBoundOf } from "./client-bounds";

/** Bounds of the pages that are rendered and of those that wait for it. */
export const pageBounds = {
  /** Maximum pages rendered at the same time. */
  maxRendering: 1,
  /** Time after which a page no longer counts as being rendered, because it only waits for its reader, in milliseconds. */
  maxRenderMs: 250,
  /** Turns of the event loop before the next page. libuv accepts one connection per turn, and those of a render are long. */
  turnsBetween: 16,
  /** Maximum waiting pages, in total and per client network. */
  maxWaiting: 512,
  maxPerNetwork: 128,
  maxForLoopback: 256,
};

type Page = {
  network: string;
  start: () => void;
  /** Frees the place of a waiting page. */
  leave: () => void;
  /** While the page is being rendered: ends that after `maxRenderMs`. */
  timer?: NodeJS.Timeout | undefined;
};

/** Calls `run` after a number of turns of the event loop; at once for 0. */
function afterTurns(count: number, run: () => void): void {
  if (count === 0) run();
  else setImmediate(() => afterTurns(count - 1, run));
}

/**
 * Decides when pages are rendered. A page takes 50 to 100 ms of processor time; if all were rendered at once, everything
 * else would wait for all of them. Clients take turns. A waiting page is dropped when its connection closes.
 */
export class PageQueue {
  readonly #bounds: typeof pageBounds;
  readonly #slots: ClientSlots;
  /** Waiting pages by client network, the network whose turn is next first. */
  readonly #waiting = new Map<string, Page[]>();
  #renderingCount = 0;

  constructor(bounds: typeof pageBounds) {
    this.#bounds = bounds;
    this.#slots = new ClientSlots({ max: bounds.maxWaiting, maxPerClient: bounds.maxPerNetwork });
  }

  /**
   * Calls `start` once the page of this response can be rendered, or another answer that takes as long. Returns AppError
   * service_unavailable if too many wait, else undefined.
   */
  add(address: string | null, response: ServerResponse, start: () => void): AppError | undefined {
    const { network, max } = networkBoundOf(address, this.#bounds);
    const leave = this.#slots.take(network, max);
    if (!leave) {
      observer()?.refused("pages");
      const message = "Too many pages and searches are waiting. Try again in a few seconds.";
      return new AppError("service_unavailable", message, { headers: { "Retry-After": "5" } });
    }
    const page: Page = { network, start, leave };
    response.once("close", () => {
      if (page.timer) this.#endRendering(page);
      else this.#remove(page);
    });
    this.#waiting.set(network, [...(this.#waiting.get(network) ?? []), page]);
    this.#startNext();
    return undefined;
  }

  #remove(page: Page): void {
    page.leave();
    this.#setWaiting(
      page.network,
      (this.#waiting.get(page.network) ?? []).filter((waiting) => waiting !== page),
    );
  }

  #setWaiting(network: string, pages: Page[]): void {
    if (pages.length > 0) this.#waiting.set(network, pages);
    else this.#waiting.delete(network);
  }

  /** Starts waiting pages up to the bound, one of each network in turn. */
  #startNext(): void {
    while (this.#renderingCount < this.#bounds.maxRendering) {
      const [first] = this.#waiting;
      if (!first) return;
      const [network, [page, ...others]] = first;
      this.#waiting.delete(network);
      this.#setWaiting(network, others);
      if (page) this.#render(page);
    }
  }

  #render(page: Page): void {
    page.leave();
    this.#renderingCount += 1;
    page.timer = setTimeout(() => this.#endRendering(page), this.#bounds.maxRenderMs);
    page.start();
  }

  #endRendering(page: Page): void {
    clearTimeout(page.timer);
    page.timer = undefined;
    afterTurns(this.#bounds.turnsBetween, () => {
      this.#renderingCount -= 1;
      this.#startNext();
    });
  }
}
