import type { Redaction } from "#lib/replay/cassettes/index";
import { credentialsOf, maskBytes, type RawRequest, type Redacted, readRequest } from "../read-request";
import type { ReceivedAnswer } from "../seal-exchange";
import { bodyOf, type Message, messagesOf, readSteps, stepLine } from "./messages";

type Upgraded = Omit<RawRequest, "body">;
type Options = { secrets: readonly string[]; allowed: readonly string[] };
type Mask = (bytes: Buffer, place: string) => Buffer;

/** Masks secrets in a session's messages of bytes. Those of text are masked with the request and the answer that they are stored in. */
class ByteMask {
  readonly redactions: Redaction[] = [];
  readonly suspicions: Redaction[] = [];
  readonly #terms: Options;

  constructor(upgraded: Upgraded, { secrets, allowed }: Options) {
    this.#terms = { secrets: [...secrets, ...credentialsOf(upgraded)], allowed };
  }

  readonly mask: Mask = (bytes, place) => {
    const { bytes: masked, redactions, suspicions } = maskBytes(bytes, place, this.#terms);
    this.redactions.push(...redactions);
    this.suspicions.push(...suspicions);
    return masked;
  };
}

function maskMessage(message: Message, place: string, mask: Mask): Message {
  return "b" in message ? { b: mask(Buffer.from(message.b, "base64"), place).toString("base64") } : message;
}

type Session = { messages: readonly Message[]; answer: ReceivedAnswer };

/** Returns a session with the secrets masked that its messages of bytes have. */
export function maskSession({ messages, answer }: Session, upgraded: Upgraded, options: Options): Session & Redacted {
  const { mask, redactions, suspicions } = new ByteMask(upgraded, options);
  let offset = 0;
  const chunks = answer.chunks.map((chunk) => {
    const [step] = readSteps([chunk]);
    const place = `response:${offset}`;
    offset += chunk.bytes.length;
    return Buffer.isBuffer(step?.data)
      ? { ...chunk, bytes: stepLine(step.after, mask(step.data, place), true) }
      : chunk;
  });
  const masked = messages.map((message, index) => maskMessage(message, `/websocket/${index}`, mask));
  return { messages: masked, answer: { ...answer, chunks }, redactions, suspicions };
}

/** Returns a function that returns a client's message as it is stored: with its secrets masked. */
export function messageReader(upgraded: Upgraded, options: Options): (message: Message) => Message {
  const { mask } = new ByteMask(upgraded, options);
  const secrets = [...options.secrets, ...credentialsOf(upgraded)];
  return (message) => {
    if ("b" in message) return maskMessage(message, "", mask);
    const { asked } = readRequest({ ...upgraded, body: bodyOf([message]) }, secrets, options.allowed);
    return messagesOf(asked)?.[0] ?? message;
  };
}
