import { Agent, DecoratorHandler, type Dispatcher, request } from "undici";
import type { Clock } from "#lib/platform/clock";
import type { RecordLimits } from "./limits";

export type Sent = {
  status: number;
  headers: Record<string, string>;
  body: Dispatcher.ResponseData["body"];
  /** When the request went onto the wire, on the monotonic clock. */
  sentAtMs: number;
  /** Closes the connection. */
  close(): Promise<void>;
};

type RequestToSend = { url: URL; body: Record<string, unknown>; apiKey: string | undefined; signal: AbortSignal };

interface Start {
  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void;
}
// Its methods are missing from undici's types.
const Decorator = DecoratorHandler as unknown as new (handler: Dispatcher.DispatchHandler) => Start;

/** Tells when a request is put onto its connection: name lookup and TLS are not the provider's answer. */
class SendingNoter extends Decorator {
  readonly #note: () => void;

  constructor(handler: Dispatcher.DispatchHandler, note: () => void) {
    super(handler);
    this.#note = note;
  }

  override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#note();
    super.onRequestStart(controller, context);
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const pairs = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : `${value}`]));
}

/** Sends one request and comes back with the answer's headers. Throws undici's errors. */
export async function sendRequest(
  clock: Clock,
  { url, body, apiKey, signal }: RequestToSend,
  { connectTimeoutMs, headersTimeoutMs, idleTimeoutMs }: RecordLimits,
): Promise<Sent> {
  let sentAtMs = clock.monotonicMs();
  const note = () => {
    sentAtMs = clock.monotonicMs();
  };
  const agent = new Agent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  });
  const dispatcher = agent.compose(
    (dispatch) => (options, handler) => dispatch(options, new SendingNoter(handler, note)),
  );
  const close = () => agent.destroy();
  try {
    const answer = await request(url, {
      method: "POST",
      dispatcher,
      signal,
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        "accept-encoding": "identity",
        "anthropic-version": "2023-06-01",
        ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
      },
      body: JSON.stringify(body),
    });
    return { status: answer.statusCode, headers: flatten(answer.headers), body: answer.body, sentAtMs, close };
  } catch (error) {
    await close();
    throw error;
  }
}
