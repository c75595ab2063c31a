import type { Clock } from "#lib/platform/clock";
import type { Database } from "#lib/platform/database/index";
import { onWakeup } from "#lib/platform/database/wakeups";
import type { Log } from "#lib/platform/log";
import type { Session } from "./session";
import { deleteQuestions, insertQuestion, takeAnswers, writeAnswer } from "./store";

/** Hands a client's answer to whichever instance asked; one to no open request is dropped. */
export async function passAnswer(
  { database }: { database: Database },
  session: Session,
  { requestId, message }: { requestId: string; message: unknown },
): Promise<void> {
  await writeAnswer(database, { sessionId: session.id, requestId, message });
}

type QuestionContext = { database: Database; clock: Clock; log: Log };

/** Requests to a client that wait for its answers, which may reach another instance. */
export class Questions {
  readonly #context: QuestionContext;
  readonly #session: Session;
  readonly #onAnswer: (message: unknown) => void;
  readonly #waiting = new Set<string>();
  #forget: (() => void) | undefined;
  #isLooking = false;

  constructor(context: QuestionContext, session: Session, onAnswer: (message: unknown) => void) {
    this.#context = context;
    this.#session = session;
    this.#onAnswer = onAnswer;
  }

  /** Notes a request before it is sent. */
  async expect(requestId: string): Promise<void> {
    const { database, clock } = this.#context;
    await insertQuestion(database, { sessionId: this.#session.id, requestId, createdAt: clock.now() });
    this.#waiting.add(requestId);
    this.#forget ??= onWakeup(() => void this.#look());
  }

  /** Waits no longer. */
  async close(): Promise<void> {
    this.#forget?.();
    this.#forget = undefined;
    const left = [...this.#waiting];
    this.#waiting.clear();
    if (left.length > 0) await deleteQuestions(this.#context.database, this.#session.id, left);
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#waiting.size === 0) return;
    this.#isLooking = true;
    try {
      const answers = await takeAnswers(this.#context.database, this.#session.id, [...this.#waiting]);
      for (const { requestId, message } of answers) {
        this.#waiting.delete(requestId);
        this.#onAnswer(message);
      }
    } catch (error) {
      this.#context.log.warn({ err: error }, "answers of clients cannot be read now");
    } finally {
      this.#isLooking = false;
    }
  }
}
