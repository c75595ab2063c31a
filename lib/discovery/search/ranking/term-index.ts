import { compoundsOf, splitWords, termOf } from "../terms";
import { DocumentTable } from "./document-table";
import { growTypedArray, type PostingBuffers, PostingLists } from "./posting-lists";
import { topDocuments } from "./top-documents";
import { Vocabulary } from "./vocabulary";

/** Saturation of term frequency of BM25F (Robertson and Zaragoza, 2009). */
const k1 = 3;

/** A document in two fields; the head is its title and the like. */
export type Parts = {
  head: string;
  body: string;
  /** Terms of the head that are only found as a whole, not by typos or beginnings. Default: none. */
  keys?: readonly string[];
  /** Such terms of the body. Default: none. */
  bodyKeys?: readonly string[];
  /** A name whose words are found by their beginnings. It is not searched itself. Default: none. */
  name?: string;
  /** Highest frequency of a term in the body that counts, after normalization. Default: none. */
  maxBodyFrequency?: number;
  /** Factor of the document's score. Default: 1. */
  weight?: number;
  /**
   * Whether the document counts in the frequencies of terms and the average lengths. One that does not count changes no other
   * document's score, and its own length has no effect. Default: true.
   */
  isCounted?: boolean;
};

type Ranked = { document: number; score: number };

type RankInput = {
  /** Weight of each term, such as its frequency in the query. */
  terms: ReadonlyMap<string, number>;
  limit: number;
  /** Order of documents with the same score. */
  compare: (a: number, b: number) => number;
};

const removed = -1;

/**
 * Ranks documents by BM25F over an inverted index: the frequencies of a term in head and body are weighted and
 * normalized by the lengths of these fields, then added and saturated together. Documents are numbered in order of
 * addition. After removals, the rest ranks exactly as if the removed documents had never been added; their postings
 * remain until `compacted` creates an index without them.
 */
export class TermIndex {
  readonly #terms = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #vocabulary = new Vocabulary();
  readonly #postings = new PostingLists();
  readonly #documents = new DocumentTable();
  /** Number of live documents that contain a term, and how many of them count. */
  #holderCounts = new Int32Array(64);
  #documentFrequencies = new Int32Array(64);
  /** Buffers for processing a document or a query, reused between calls. */
  #frequencies = new Int32Array(64);
  #headFrequencies = new Int32Array(64);
  #scores = new Float64Array(0);
  #touched = new Int32Array(0);
  #buffers = { documents: new Int32Array(0), frequencies: new Int32Array(0), headFrequencies: new Int32Array(0) };

  /** Number of live documents. */
  get size(): number {
    return this.#documents.liveCount;
  }

  /** Number of removed documents whose postings remain. */
  get removedCount(): number {
    return this.#documents.count - this.#documents.liveCount;
  }

  /** Adds a document and returns its number. */
  add(parts: Parts): number {
    const { weight = 1, maxBodyFrequency = Number.POSITIVE_INFINITY, isCounted = true, name = "" } = parts;
    const { terms, ...lengths } = this.#count(parts);
    const document = this.#documents.add({ ...lengths, weight, maxBodyFrequency, isCounted });
    for (const term of terms) {
      const frequency = this.#frequencies[term] as number;
      this.#postings.append(term, document, frequency, this.#headFrequencies[term] as number);
    }
    this.#countHolder(terms, 1, isCounted);
    for (const word of splitWords(name)) this.#vocabulary.addName(word);
    return document;
  }

  /** Removes a document. `parts` must be those that it was added with. */
  remove(document: number, parts: Parts): void {
    this.#countHolder(this.#count(parts).terms, -1, this.#documents.isCounted(document));
    this.#documents.remove(document);
  }

  /** Returns the number of documents that contain a term. */
  holderCount(term: string): number {
    const number = this.#terms.get(term);
    return number === undefined ? 0 : (this.#holderCounts[number] as number);
  }

  /** Returns the terms of the words that begin with a prefix of at least two characters, the most frequent first. */
  completionsOf(prefix: string, limit: number): string[] {
    return this.#mostFrequent(this.#vocabulary.withPrefix(prefix), limit);
  }

  /** Returns the terms of the words in names that begin with a prefix of at least two characters, without the prefix itself. */
  namesWith(prefix: string, limit: number): string[] {
    return this.#mostFrequent(this.#vocabulary.namesWithPrefix(prefix), limit).filter((term) => term !== prefix);
  }

  /** Returns the terms of the words in names of which the beginning is one edit from a word, the most frequent first. */
  namesLike(word: string, limit: number): string[] {
    return this.#mostFrequent(this.#vocabulary.namesOneEditFrom(word), limit);
  }

  /** Returns the terms of the words that are one edit from a word, the most frequent first. */
  correctionsOf(word: string, limit: number): string[] {
    return this.#mostFrequent(this.#vocabulary.oneEditFrom(word), limit);
  }

  #mostFrequent(numbers: readonly number[], limit: number): string[] {
    const held = [...new Set(numbers)].filter((number) => (this.#holderCounts[number] as number) > 0);
    const compare = (x: string, y: string) => this.holderCount(y) - this.holderCount(x) || (x < y ? -1 : 1);
    const names = held.map((number) => this.#names[number] as string);
    return names.sort(compare).slice(0, limit);
  }

  /** Returns the inverse document frequency of a term, 0 if no document contains it. */
  inverseFrequency(term: string): number {
    const number = this.#terms.get(term);
    if (number === undefined || this.#holderCounts[number] === 0) return 0;
    const frequency = this.#documentFrequencies[number] as number;
    return Math.log(1 + (this.#documents.countedCount - frequency + 0.5) / (frequency + 0.5));
  }

  /** Returns the best documents that contain any of the terms, best first. */
  rank({ terms, limit, compare }: RankInput): Ranked[] {
    this.#documents.prepare();
    this.#scores = growTypedArray(this.#scores, this.#documents.count);
    this.#touched = growTypedArray(this.#touched, this.#documents.count);
    let touchedCount = 0;
    for (const [term, weight] of terms) {
      const number = this.#terms.get(term);
      if (number === undefined || this.#holderCounts[number] === 0) continue;
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
    const numbers = new Int32Array(this.#documents.count).fill(removed);
    for (let document = 0; document < this.#documents.count; document++) {
      if (!this.#documents.isRemoved(document)) numbers[document] = index.#documents.add(this.#documents.row(document));
    }
    const copies = new Map<number, number>();
    for (const [term, number] of this.#terms) {
      if (this.#holderCounts[number] === 0) continue;
      const copy = index.#termNumber(term);
      copies.set(number, copy);
      index.#holderCounts[copy] = this.#holderCounts[number] as number;
      index.#documentFrequencies[copy] = this.#documentFrequencies[number] as number;
      const count = this.#read(number);
      const { documents, frequencies, headFrequencies } = this.#buffers;
      for (let at = 0; at < count; at++) {
        const document = numbers[documents[at] as number] as number;
        if (document === removed) continue;
        index.#postings.append(copy, document, frequencies[at] as number, headFrequencies[at] as number);
      }
    }
    this.#vocabulary.copyTo(index.#vocabulary, (number) => copies.get(number));
    return { index, numbers };
  }

  #termNumber(term: string): number {
    const known = this.#terms.get(term);
    if (known !== undefined) return known;
    const number = this.#postings.addTerm();
    this.#terms.set(term, number);
    this.#names.push(term);
    this.#holderCounts = growTypedArray(this.#holderCounts, number + 1);
    this.#documentFrequencies = growTypedArray(this.#documentFrequencies, number + 1);
    this.#frequencies = growTypedArray(this.#frequencies, number + 1);
    this.#headFrequencies = growTypedArray(this.#headFrequencies, number + 1);
    return number;
  }

  /** Counts a document as a holder of terms (`sign` 1) or no longer (-1), and clears the frequency buffers of the terms. */
  #countHolder(terms: readonly number[], sign: 1 | -1, isCounted: boolean): void {
    for (const term of terms) {
      this.#holderCounts[term] = (this.#holderCounts[term] as number) + sign;
      this.#documentFrequencies[term] = (this.#documentFrequencies[term] as number) + (isCounted ? sign : 0);
      this.#frequencies[term] = 0;
      this.#headFrequencies[term] = 0;
    }
  }

  /** Counts a document's terms in the two frequency buffers, which `#countHolder` clears. */
  #count({ head, body, keys = [], bodyKeys = [] }: Parts): { terms: number[]; bodyLength: number; headLength: number } {
    const terms: number[] = [];
    const headLength = this.#countWords(head, true, terms);
    for (const key of keys) this.#countTerm(this.#termNumber(key), true, terms);
    for (const key of bodyKeys) this.#countTerm(this.#termNumber(key), false, terms);
    const bodyLength = this.#countWords(body, false, terms);
    return { terms, bodyLength, headLength };
  }

  readonly #numberOfToken = (token: string) => this.#termNumber(termOf(token));

  /** Counts the terms of a field in the frequency buffers, and adds those that are new to `terms`. Returns their number. */
  #countWords(text: string, isHead: boolean, terms: number[]): number {
    let length = 0;
    for (const word of splitWords(text)) {
      const number = this.#vocabulary.numberOf(word, this.#numberOfToken);
      if (number < 0) continue;
      length += 1;
      this.#countTerm(number, isHead, terms);
    }
    for (const compound of compoundsOf(text)) this.#countTerm(this.#termNumber(termOf(compound)), isHead, terms);
    return length;
  }

  #countTerm(number: number, isHead: boolean, terms: number[]): void {
    if (this.#frequencies[number] === 0) terms.push(number);
    this.#frequencies[number] = (this.#frequencies[number] as number) + 1;
    if (isHead) this.#headFrequencies[number] = (this.#headFrequencies[number] as number) + 1;
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
    const { bodyScales, headScales, weights, maxBodyFrequencies } = this.#documents;
    const [table, scores, touched] = [this.#documents, this.#scores, this.#touched];
    const factor = weight * (k1 + 1);
    let touchedCount = touchedBefore;
    for (let at = 0; at < count; at++) {
      const document = documents[at] as number;
      if (table.isRemoved(document)) continue;
      const score = scores[document] as number;
      if (score === 0) touched[touchedCount++] = document;
      const headFrequency = headFrequencies[at] as number;
      const bodyFrequency = (frequencies[at] as number) - headFrequency;
      const inBody = Math.min(bodyFrequency * (bodyScales[document] as number), maxBodyFrequencies[document] as number);
      const frequency = inBody + headFrequency * (headScales[document] as number);
      scores[document] = score + (factor * (weights[document] as number) * frequency) / (frequency + k1);
    }
    return touchedCount;
  }
}
