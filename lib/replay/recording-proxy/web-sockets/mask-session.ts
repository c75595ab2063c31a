import type { TimedChunk } from "#lib/replay/providers/index";
import { credentialsOf, maskBytes, type RawRequest, type Redacted, readRequest } from "../read-request";
import type { ReceivedAnswer } from "../seal-exchange";
import { bodyOf, type Message, messagesOf, readSteps, stepLine } from "./messages";

type Upgraded = Omit<RawRequest, "body">;
type Options = { secrets: readonly string[]; allowed: readonly string[] };

/** Returns the options with the credentials of the request that opened the session. */
function withCredentials(upgraded: Upgraded, { secrets, allowed }: Options): Options {
  return { secrets: [...secrets, ...credentialsOf(upgraded)], allowed };
}

/** Masks secrets in a client's message if it is bytes. Those of text are masked with the request that they are stored in. */
function maskMessage(message: Message, place: string, options: Options): { message: Message } & Redacted {
  if (!("b" in message)) return { message, redactions: [], suspicions: [] };
  const { bytes, ...found } = maskBytes(Buffer.from(message.b, "base64"), place, { ...options, isAnswer: false });
  return { message: { b: bytes.toString("base64") }, ...found };
}

/** Masks secrets in a step of the server if it is bytes. Those of text are masked with the answer that they are stored in. */
function maskStep(chunk: TimedChunk, place: string, options: Options): { chunk: TimedChunk } & Redacted {
  const [step] = readSteps([chunk]);
  if (!Buffer.isBuffer(step?.data)) return { chunk, redactions: [], suspicions: [] };
  const { bytes, ...found } = maskBytes(step.data, place, { ...options, isAnswer: true });
  return { chunk: { ...chunk, bytes: stepLine(step.after, bytes, true) }, ...found };
}

type Session = { messages: readonly Message[]; answer: ReceivedAnswer };

/** Returns a session with the secrets masked that its messages of bytes have. */
export function maskSession({ messages, answer }: Session, upgraded: Upgraded, given: Options): Session & Redacted {
  const options = withCredentials(upgraded, given);
  let offset = 0;
  const steps = answer.chunks.map((chunk) => {
    const place = `response:${offset}`;
    offset += chunk.bytes.length;
    return maskStep(chunk, place, options);
  });
  const sent = messages.map((message, index) => maskMessage(message, `/websocket/${index}`, options));
  const all: Redacted[] = [...steps, ...sent];
  return {
    messages: sent.map(({ message }) => message),
    answer: { ...answer, chunks: steps.map(({ chunk }) => chunk) },
    redactions: all.flatMap(({ redactions }) => redactions),
    suspicions: all.flatMap(({ suspicions }) => suspicions),
  };
}

/** Returns a function that returns a client's message as it is stored: with its secrets masked. */
export function messageReader(upgraded: Upgraded, given: Options): (message: Message) => Message {
  const options = withCredentials(upgraded, given);
  return (message) => {
    if ("b" in message) return maskMessage(message, "", options).message;
    const { asked } = readRequest({ ...upgraded, body: bodyOf([message]) }, options.secrets, options.allowed);
    return messagesOf(asked)?.[0] ?? message;
  };
}
