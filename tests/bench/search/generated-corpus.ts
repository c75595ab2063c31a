import type { PlainDocument } from "./real-corpus";

/** Words of a document: title, lead and body. */
const titleLength = 6;
const leadLength = 12;
const bodyLength = 287;
const vocabularySize = 60_000;
/** Exponent of Zipf's law, as measured for English. */
const exponent = 1.07;
/** Query words of a lower rank are drawn again, because people omit the most frequent words. */
const frequentRank = 30;
const endings = ["", "", "", "s", "ed", "ing", "ation", "ly", "er"];

/** Mulberry32: the same numbers on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Returns distinct pronounceable words, many of which are forms of one stem. */
function makeVocabulary(random: () => number): string[] {
  const [onsets, nuclei] = ["b c d f g h j k l m n p r s t v w st tr pl".split(" "), "a e i o u ea".split(" ")];
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)] as string;
  const words = new Set<string>();
  while (words.size < vocabularySize) {
    const syllables = Array.from({ length: 1 + Math.ceil(random() * 3) }, () => pick(onsets) + pick(nuclei));
    words.add(`${syllables.join("")}${pick(onsets)}${pick(endings)}`);
  }
  return [...words];
}

/** Documents of about 305 words by Zipf's law, and queries of one to four words; the same for the same seed. */
export class GeneratedCorpus {
  readonly #random: () => number;
  readonly #vocabulary: string[];
  readonly #shares: Float64Array;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
    this.#vocabulary = makeVocabulary(this.#random);
    this.#shares = new Float64Array(vocabularySize);
    let total = 0;
    for (let rank = 0; rank < vocabularySize; rank++) {
      total += 1 / (rank + 1) ** exponent;
      this.#shares[rank] = total;
    }
  }

  document(number: number): PlainDocument {
    const [title, lead] = [this.#words(titleLength), this.#words(leadLength)];
    const body = Array.from({ length: 7 }, () => `${this.#words(bodyLength / 7)}.`).join("\n");
    return { id: `doc-${number}`, title, lead, body };
  }

  query(): string {
    const length = 1 + Math.floor(this.#random() * 4);
    const words: string[] = [];
    while (words.length < length) {
      const rank = this.#rank();
      if (rank >= frequentRank) words.push(this.#vocabulary[rank] as string);
    }
    return words.join(" ");
  }

  #words(count: number): string {
    return Array.from({ length: count }, () => this.#vocabulary[this.#rank()]).join(" ");
  }

  #rank(): number {
    const wanted = this.#random() * (this.#shares[vocabularySize - 1] as number);
    let [low, high] = [0, vocabularySize - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#shares[middle] as number) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
