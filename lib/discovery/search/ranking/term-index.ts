import { termsOf } from "../terms";
import { growTypedArray, type PostingBuffers, PostingLists } from "./posting-lists";
import { topDocuments } from "./top-documents";

/** BM25 parameters for term frequency saturation and length normalization (Robertson and Zaragoza, 2009). */
const k1 = 1.2;
const b = 0.75;
/** Weight of a document's head, which is scored as a separate text in addition to the whole document. */
const headWeight = 1.5;

/** A document in two parts; the head is its title and the like. */
export type Parts = { head: string; body: string };

type Ranked = { document: number; score: number };

type RankInput = {
  /** Weight of each term, such as its frequency in the query. */
  terms: ReadonlyMap<string, number>;
  limit: number;
  /** Order of documents with the same score. */
  compare: (a: number, b: number) => number;
};

const removed = -1;

/** Computes `k1 (1 - b + b length / averageLength)` of each document. */
function normsOf(lengths: Int32Array, count: number, averageLength: number, norms: Float64Array<ArrayBuffer>) {
  const filled = growTypedArray(norms, count);
  for (let document = 0; document < count; document++) {
    const length = lengths[document] as number;
    filled[document] = length === removed ? removed : k1 * (1 - b + (b * length) / Math.max(1, averageLength));
  }
  return filled;
}

/**
 * Ranks documents by BM25 of the whole document plus BM25 of its head, over an inverted index. Documents are numbered in
 * order of addition. After removals, the rest ranks exactly as if the removed documents had never been added; their
 * postings remain until `compacted` creates an index without them.
 */
export class TermIndex {
  readonly #terms = new Map<string, number>();
  readonly #postings = new PostingLists();
  /** Number of live documents that contain a term. */
  #documentFrequencies = new Int32Array(64);
  /** Number of terms of each document and of its head; -1 if it was removed. */
  #lengths = new Int32Array(64);
  #headLengths = new Int32Array(64);
  #documentCount = 0;
  #liveCount = 0;
  #totalLength = 0;
  #totalHeadLength = 0;
  #norms = new Float64Array(0);
  #headNorms = new Float64Array(0);
  #areNormsStale = true;
  /** Buffers for processing a document or a query, reused between calls. */
  #frequencies = new Int32Array(64);
  #headFrequencies = new Int32Array(64);
  #scores = new Float64Array(0);
  #touched = new Int32Array(0);
  #buffers = { documents: new Int32Array(0), frequencies: new Int32Array(0), headFrequencies: new Int32Array(0) };

  /** Number of live documents. */
  get size(): number {
    return this.#liveCount;
  }

  /** Number of removed documents whose postings remain. */
  get removedCount(): number {
    return this.#documentCount - this.#liveCount;
  }

  /** Adds a document and returns its number. */
  add(parts: Parts): number {
    const document = this.#addDocument();
    const { terms, length, headLength } = this.#count(parts);
    for (const term of terms) {
      const frequency = this.#frequencies[term] as number;
      this.#postings.append(term, document, frequency, this.#headFrequencies[term] as number);
      this.#documentFrequencies[term] = (this.#documentFrequencies[term] as number) + 1;
      this.#frequencies[term] = 0;
      this.#headFrequencies[term] = 0;
    }
    this.#lengths[document] = length;
    this.#headLengths[document] = headLength;
    this.#liveCount += 1;
    this.#totalLength += length;
    this.#totalHeadLength += headLength;
    this.#areNormsStale = true;
    return document;
  }

  /** Removes a document. `parts` must be those that it was added with. */
  remove(document: number, parts: Parts): void {
    const { terms, length, headLength } = this.#count(parts);
    for (const term of terms) {
      this.#documentFrequencies[term] = (this.#documentFrequencies[term] as number) - 1;
      this.#frequencies[term] = 0;
      this.#headFrequencies[term] = 0;
    }
    this.#lengths[document] = removed;
    this.#liveCount -= 1;
    this.#totalLength -= length;
    this.#totalHeadLength -= headLength;
    this.#areNormsStale = true;
  }

  /** Returns the inverse document frequency of a term, 0 if no document contains it. */
  inverseFrequency(term: string): number {
    const number = this.#terms.get(term);
    const documentFrequency = number === undefined ? 0 : (this.#documentFrequencies[number] as number);
    return documentFrequency === 0
      ? 0
      : Math.log(1 + (this.#liveCount - documentFrequency + 0.5) / (documentFrequency + 0.5));
  }

  /** Returns the best documents that contain any of the terms, best first. */
  rank({ terms, limit, compare }: RankInput): Ranked[] {
    this.#prepare();
    let touchedCount = 0;
    for (const [term, weight] of terms) {
      const number = this.#terms.get(term);
      if (number === undefined || this.#documentFrequencies[number] === 0) continue;
      touchedCount = this.#score(number, weight * this.inverseFrequency(term), touchedCount);
    }
    const scores = this.#scores;
    const best = topDocuments({ documents: this.#touched, count: touchedCount, scores, limit, compare });
    const ranked = best.map((document) => ({ document, score: scores[document] as number }));
    for (let index = 0; index < touchedCount; index++) scores[this.#touched[index] as number] = 0;
    return ranked;
  }

  /** Returns an index without the postings of removed documents, and the new number for each old one. */
  compacted(): { index: TermIndex; numbers: Int32Array } {
    const index = new TermIndex();
    const numbers = new Int32Array(this.#documentCount).fill(removed);
    for (let document = 0; document < this.#documentCount; document++) {
      if (this.#lengths[document] === removed) continue;
      const number = index.#addDocument();
      numbers[document] = number;
      index.#lengths[number] = this.#lengths[document] as number;
      index.#headLengths[number] = this.#headLengths[document] as number;
    }
    index.#liveCount = this.#liveCount;
    index.#totalLength = this.#totalLength;
    index.#totalHeadLength = this.#totalHeadLength;
    for (const [term, number] of this.#terms) {
      if (this.#documentFrequencies[number] === 0) continue;
      const copy = index.#termNumber(term);
      index.#documentFrequencies[copy] = this.#documentFrequencies[number] as number;
      const count = this.#read(number);
      const { documents, frequencies, headFrequencies } = this.#buffers;
      for (let at = 0; at < count; at++) {
        const document = numbers[documents[at] as number] as number;
        if (document === removed) continue;
        index.#postings.append(copy, document, frequencies[at] as number, headFrequencies[at] as number);
      }
    }
    return { index, numbers };
  }

  #addDocument(): number {
    this.#lengths = growTypedArray(this.#lengths, this.#documentCount + 1);
    this.#headLengths = growTypedArray(this.#headLengths, this.#documentCount + 1);
    return this.#documentCount++;
  }

  #termNumber(term: string): number {
    const known = this.#terms.get(term);
    if (known !== undefined) return known;
    const number = this.#postings.addTerm();
    this.#terms.set(term, number);
    this.#documentFrequencies = growTypedArray(this.#documentFrequencies, number + 1);
    this.#frequencies = growTypedArray(this.#frequencies, number + 1);
    this.#headFrequencies = growTypedArray(this.#headFrequencies, number + 1);
    return number;
  }

  /** Counts a document's terms in the two frequency buffers, which the caller must clear. */
  #count({ head, body }: Parts): { terms: number[]; length: number; headLength: number } {
    const terms: number[] = [];
    const numberOf = (term: string) => {
      const number = this.#termNumber(term);
      if (this.#frequencies[number] === 0) terms.push(number);
      this.#frequencies[number] = (this.#frequencies[number] as number) + 1;
      return number;
    };
    const headTerms = termsOf(head);
    for (const term of headTerms) {
      const number = numberOf(term);
      this.#headFrequencies[number] = (this.#headFrequencies[number] as number) + 1;
    }
    const bodyTerms = termsOf(body);
    for (const term of bodyTerms) numberOf(term);
    return { terms, length: headTerms.length + bodyTerms.length, headLength: headTerms.length };
  }

  #prepare(): void {
    if (!this.#areNormsStale) return;
    const [count, liveCount] = [this.#documentCount, Math.max(1, this.#liveCount)];
    this.#norms = normsOf(this.#lengths, count, this.#totalLength / liveCount, this.#norms);
    this.#headNorms = normsOf(this.#headLengths, count, this.#totalHeadLength / liveCount, this.#headNorms);
    // The head norm of a removed document is not used: its postings are skipped because of its norm.
    this.#scores = growTypedArray(this.#scores, count);
    this.#touched = growTypedArray(this.#touched, count);
    this.#areNormsStale = false;
  }

  #read(term: number): number {
    const count = this.#postings.count(term);
    const { documents, frequencies, headFrequencies } = this.#buffers;
    this.#buffers = {
      documents: growTypedArray(documents, count),
      frequencies: growTypedArray(frequencies, count),
      headFrequencies: growTypedArray(headFrequencies, count),
    };
    return this.#postings.read(term, this.#buffers satisfies PostingBuffers);
  }

  #score(term: number, weight: number, touchedBefore: number): number {
    const count = this.#read(term);
    const { documents, frequencies, headFrequencies } = this.#buffers;
    const [norms, headNorms, scores, touched] = [this.#norms, this.#headNorms, this.#scores, this.#touched];
    const factor = weight * (k1 + 1);
    let touchedCount = touchedBefore;
    for (let at = 0; at < count; at++) {
      const document = documents[at] as number;
      const norm = norms[document] as number;
      if (norm === removed) continue;
      const score = scores[document] as number;
      if (score === 0) touched[touchedCount++] = document;
      const frequency = frequencies[at] as number;
      let added = (factor * frequency) / (frequency + norm);
      const headFrequency = headFrequencies[at] as number;
      if (headFrequency > 0)
        added += (headWeight * factor * headFrequency) / (headFrequency + (headNorms[document] as number));
      scores[document] = score + added;
    }
    return touchedCount;
  }
}
