import { growTypedArray } from "./posting-lists";

/** Normalization by length of BM25F (Robertson and Zaragoza, 2009). */
const b = 0.75;
/** Weight of a term in a document's head; in the body it is 1. */
const headWeight = 6;
const removed = -1;

/** What the index keeps of a document beside its postings. Lengths are numbers of terms. */
export type DocumentRow = {
  bodyLength: number;
  headLength: number;
  weight: number;
  maxBodyFrequency: number;
  isCounted: boolean;
};

/** The documents of an index, numbered in order of addition, with their statistics. Removed ones keep their numbers. */
export class DocumentTable {
  #bodyLengths = new Int32Array(64);
  #headLengths = new Int32Array(64);
  #areCounted = new Uint8Array(64);
  #count = 0;
  #liveCount = 0;
  /** Number of documents that count, and their total lengths. */
  #countedCount = 0;
  #totalBodyLength = 0;
  #totalHeadLength = 0;
  #areScalesStale = true;
  /** Factor of each document's score. */
  weights = new Float64Array(64);
  /** Highest frequency of a term in each document's body that counts, after normalization. */
  maxBodyFrequencies = new Float64Array(64);
  /** What a document's frequencies in each field are multiplied by. Up to date after `prepare`. */
  bodyScales = new Float64Array(0);
  headScales = new Float64Array(0);

  /** Number of documents, with those that were removed. */
  get count(): number {
    return this.#count;
  }

  get liveCount(): number {
    return this.#liveCount;
  }

  get countedCount(): number {
    return this.#countedCount;
  }

  /** Adds a document and returns its number. */
  add({ bodyLength, headLength, weight, maxBodyFrequency, isCounted }: DocumentRow): number {
    const document = this.#count++;
    this.#bodyLengths = growTypedArray(this.#bodyLengths, this.count);
    this.#headLengths = growTypedArray(this.#headLengths, this.count);
    this.#areCounted = growTypedArray(this.#areCounted, this.count);
    this.weights = growTypedArray(this.weights, this.count);
    this.maxBodyFrequencies = growTypedArray(this.maxBodyFrequencies, this.count);
    this.#bodyLengths[document] = bodyLength;
    this.#headLengths[document] = headLength;
    this.#areCounted[document] = Number(isCounted);
    this.weights[document] = weight;
    this.maxBodyFrequencies[document] = maxBodyFrequency;
    this.#addToStatistics(document, 1);
    return document;
  }

  remove(document: number): void {
    this.#addToStatistics(document, -1);
    this.#bodyLengths[document] = removed;
  }

  isRemoved(document: number): boolean {
    return this.#bodyLengths[document] === removed;
  }

  isCounted(document: number): boolean {
    return this.#areCounted[document] === 1;
  }

  row(document: number): DocumentRow {
    return {
      bodyLength: this.#bodyLengths[document] as number,
      headLength: this.#headLengths[document] as number,
      weight: this.weights[document] as number,
      maxBodyFrequency: this.maxBodyFrequencies[document] as number,
      isCounted: this.isCounted(document),
    };
  }

  /** Brings the scales up to date. */
  prepare(): void {
    if (!this.#areScalesStale) return;
    const average = (total: number) => Math.max(1, total / Math.max(1, this.#countedCount));
    const [bodyAverage, headAverage] = [average(this.#totalBodyLength), average(this.#totalHeadLength)];
    this.bodyScales = growTypedArray(this.bodyScales, this.count);
    this.headScales = growTypedArray(this.headScales, this.count);
    for (let document = 0; document < this.count; document++) {
      const isCounted = this.isCounted(document);
      const norm = (length: number, mean: number) => (isCounted ? 1 - b + (b * length) / mean : 1);
      this.bodyScales[document] = 1 / norm(this.#bodyLengths[document] as number, bodyAverage);
      this.headScales[document] = headWeight / norm(this.#headLengths[document] as number, headAverage);
    }
    this.#areScalesStale = false;
  }

  /** Adds a document to the statistics (`sign` 1) or takes it out (-1). */
  #addToStatistics(document: number, sign: 1 | -1): void {
    const counted = (this.#areCounted[document] as number) * sign;
    this.#liveCount += sign;
    this.#countedCount += counted;
    this.#totalBodyLength += counted * (this.#bodyLengths[document] as number);
    this.#totalHeadLength += counted * (this.#headLengths[document] as number);
    this.#areScalesStale = true;
  }
}
