import { ask, type CallOutcome } from "../ask";
import type { Prompt } from "../prompt";
import type { ModelProvider } from "../provider";

const callTimeoutMs = 10_000;
const never = new AbortController().signal;

/** A request as it would be sent alone, and the beta features that it names. */
export type WrittenRequest = { params: unknown; betas: string | undefined };

/** Lets the SDK write a request, and keeps it instead of sending it. */
export async function writeRequest(provider: ModelProvider, prompt: Prompt): Promise<WrittenRequest> {
  let written: WrittenRequest | undefined;
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const betas = new Headers(init?.headers).get("anthropic-beta") ?? undefined;
    written = { params: JSON.parse(String(init?.body)), betas };
    return Response.json({ type: "error", error: { type: "not_sent", message: "kept for a batch" } }, { status: 400 });
  };
  await ask(provider, prompt, { fetch, signal: never, timeoutMs: callTimeoutMs });
  if (!written) throw new Error("The request for a batch could not be written.");
  return written;
}

/** Lets the SDK read a message that came in a batch. */
export async function readMessage(provider: ModelProvider, message: unknown): Promise<CallOutcome> {
  const fetch: typeof globalThis.fetch = async () => Response.json(message);
  return ask(provider, { system: "-", user: "-" }, { fetch, signal: never, timeoutMs: callTimeoutMs });
}
