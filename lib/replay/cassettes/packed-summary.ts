import type { CassetteSummary } from "./describe-cassette";

/** A summary without its long texts. */
export type SummaryHead = Omit<CassetteSummary, "prompt" | "text">;

class Packed {
  readonly #file: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(head: SummaryHead, file: Buffer, start: number, end: number) {
    Object.assign(this, head);
    this.#file = file;
    this.#start = start;
    this.#end = end;
  }

  /** JSON of the prompt and the text, in UTF-8. */
  get texts(): Buffer {
    return this.#file.subarray(this.#start, this.#end);
  }

  get prompt(): string {
    return this.#decode()[0];
  }

  get text(): string {
    return this.#decode()[1];
  }

  #decode(): [prompt: string, text: string] {
    return JSON.parse(this.texts.toString("utf8"));
  }
}

/**
 * A summary whose prompt and text are decoded each time they are read. Listings and matches do not need them, and those of
 * thousands of cassettes take less memory so, and no time at a start. Its JSON is that of the head.
 */
export type PackedSummary = SummaryHead & Packed;

/** Returns a summary whose texts are between two offsets of a file. */
export function unpackSummary(head: SummaryHead, file: Buffer, start: number, end: number): PackedSummary {
  return new Packed(head, file, start, end) as PackedSummary;
}

/** A summary and JSON of its prompt and text, in UTF-8: what a thread returns, which copies no instances of classes. */
export type SummaryParts = { head: SummaryHead; texts: Uint8Array };

export function splitSummary({ prompt, text, ...head }: CassetteSummary): SummaryParts {
  return { head, texts: Buffer.from(JSON.stringify([prompt, text])) };
}

/** Moves texts to one piece of memory: each by itself would take more. */
export function joinTexts(summaries: readonly SummaryParts[]): void {
  const all = new Uint8Array(summaries.reduce((sum, { texts }) => sum + texts.length, 0));
  let end = 0;
  for (const summary of summaries) {
    const start = end;
    end += summary.texts.length;
    all.set(summary.texts, start);
    summary.texts = all.subarray(start, end);
  }
}

export function packSummary({ head, texts: { buffer, byteOffset, byteLength } }: SummaryParts): PackedSummary {
  return unpackSummary(head, Buffer.from(buffer, byteOffset, byteLength), 0, byteLength);
}
