import { Agent, DecoratorHandler, type Dispatcher, request } from "undici";
import type { Clock } from "#lib/platform/clock";
import type { RecordLimits } from "./limits";

export type Sent = {
  status: number;
  headers: Record<string, string>;
  body: Dispatcher.ResponseData["body"];
  /** When the request was written to the connection, on the monotonic clock. */
  sentAtMs: number;
  /** Closes the connection. */
  close(): Promise<void>;
};

export type RequestToSend = {
  url: URL;
  /** Request headers besides the content type. */
  headers: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
};

interface Start {
  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void;
}
// undici's types lack its methods.
const Decorator = DecoratorHandler as unknown as new (handler: Dispatcher.DispatchHandler) => Start;

/** Reports when a request is written to its connection, so that DNS and TLS do not count as response time. */
class RequestStartHandler extends Decorator {
  readonly #onStart: () => void;

  constructor(handler: Dispatcher.DispatchHandler, onStart: () => void) {
    super(handler);
    this.#onStart = onStart;
  }

  override onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#onStart();
    super.onRequestStart(controller, context);
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const pairs = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : `${value}`]));
}

/** Sends a request and returns when the response headers have arrived. Throws undici's errors. */
export async function sendRequest(
  clock: Clock,
  { url, headers, body }: RequestToSend,
  signal: AbortSignal,
  { connectTimeoutMs, headersTimeoutMs, idleTimeoutMs }: RecordLimits,
): Promise<Sent> {
  let sentAtMs = clock.monotonicMs();
  const setSentAt = () => {
    sentAtMs = clock.monotonicMs();
  };
  const agent = new Agent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: headersTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  });
  const dispatcher = agent.compose(
    (dispatch) => (options, handler) => dispatch(options, new RequestStartHandler(handler, setSentAt)),
  );
  const close = () => agent.destroy();
  try {
    const response = await request(url, {
      method: "POST",
      dispatcher,
      signal,
      headers: { "content-type": "application/json", "accept-encoding": "identity", ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.statusCode, headers: flatten(response.headers), body: response.body, sentAtMs, close };
  } catch (error) {
    await close();
    throw error;
  }
}
