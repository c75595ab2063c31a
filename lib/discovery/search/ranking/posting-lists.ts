type NumberArray =
  | Int32Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** Returns the array if it is long enough, else a copy of 1.5 times the requested length. */
export function growTypedArray<T extends NumberArray>(array: T, length: number): T {
  if (array.length >= length) return array;
  const longer = new (array.constructor as new (length: number) => T)(Math.ceil(length * 1.5));
  longer.set(array);
  return longer;
}

/** Sizes of the slices that a list gets in shared pages, in order; the last size is used for all further slices. */
const sliceByteSizes = [8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096];
const lastLevel = sliceByteSizes.length - 1;
const pageByteSize = 65_536;
/** Each slice ends with the address of the next one. */
const linkByteSize = 4;

function sliceByteSize(level: number): number {
  return sliceByteSizes[Math.min(level, lastLevel)] as number;
}

/** Returns the size of a number as a varint (seven bits per byte). */
function varintByteSize(value: number): number {
  let byteSize = 1;
  for (let rest = value; rest > 127; rest >>>= 7) byteSize += 1;
  return byteSize;
}

/** Kinds of postings: once, only in the body; several times, only in the body; or with frequencies in total and in the head. */
const [onceKind, bodyKind, headKind] = [1, 2, 3];

/** Buffers for the postings of a term, each at least as long as their number. */
export type PostingBuffers = { documents: Int32Array; frequencies: Int32Array; headFrequencies: Int32Array };

/**
 * Compressed posting lists: for each term, the documents that contain it, with its frequency in total and in their heads.
 * Document numbers are delta-encoded, and all numbers are varints: `difference << 2 | kind`, then the frequencies of the
 * kind. No kind is 0, so a byte 0 in place of a posting means that the list continues in the next slice.
 */
export class PostingLists {
  #pages: Uint8Array[] = [];
  #pageUsed = pageByteSize;
  #heads = new Int32Array(64);
  #tails = new Int32Array(64);
  #tailFreeByteSizes = new Int32Array(64);
  #levels = new Uint16Array(64);
  #lastDocuments = new Int32Array(64);
  #counts = new Int32Array(64);
  #termCount = 0;

  /** Total size of the pages. */
  get byteSize(): number {
    return this.#pages.length * pageByteSize;
  }

  /** Adds an empty list and returns its number. */
  addTerm(): number {
    const term = this.#termCount++;
    this.#heads = growTypedArray(this.#heads, this.#termCount);
    this.#tails = growTypedArray(this.#tails, this.#termCount);
    this.#tailFreeByteSizes = growTypedArray(this.#tailFreeByteSizes, this.#termCount);
    this.#levels = growTypedArray(this.#levels, this.#termCount);
    this.#lastDocuments = growTypedArray(this.#lastDocuments, this.#termCount);
    this.#counts = growTypedArray(this.#counts, this.#termCount);
    const head = this.#allocate(0);
    this.#heads[term] = head;
    this.#tails[term] = head;
    this.#tailFreeByteSizes[term] = sliceByteSize(0) - linkByteSize;
    this.#lastDocuments[term] = -1;
    return term;
  }

  /** Returns the number of postings of a term, including those of removed documents. */
  count(term: number): number {
    return this.#counts[term] as number;
  }

  /** Appends a posting. The documents of a term must be appended in ascending order. */
  append(term: number, document: number, frequency: number, headFrequency: number): void {
    const difference = document - (this.#lastDocuments[term] as number);
    const kind = headFrequency > 0 ? headKind : frequency > 1 ? bodyKind : onceKind;
    const first = (difference << 2) | kind;
    const byteSize =
      varintByteSize(first) +
      (kind === onceKind ? 0 : varintByteSize(frequency)) +
      (kind === headKind ? varintByteSize(headFrequency) : 0);
    while ((this.#tailFreeByteSizes[term] as number) < byteSize) this.#extend(term);
    let address = this.#write(this.#tails[term] as number, first);
    if (kind !== onceKind) address = this.#write(address, frequency);
    if (kind === headKind) address = this.#write(address, headFrequency);
    this.#tails[term] = address;
    this.#tailFreeByteSizes[term] = (this.#tailFreeByteSizes[term] as number) - byteSize;
    this.#lastDocuments[term] = document;
    this.#counts[term] = (this.#counts[term] as number) + 1;
  }

  /** Reads a term's postings into buffers; returns how many there are. */
  read(term: number, { documents, frequencies, headFrequencies }: PostingBuffers): number {
    const count = this.#counts[term] as number;
    let level = 0;
    const head = this.#heads[term] as number;
    let page = this.#pages[head >>> 16] as Uint8Array;
    let at = head & 0xffff;
    let end = at + sliceByteSize(0) - linkByteSize;
    let document = -1;
    // Reading a varint is inlined three times: as a function call it would take twice the time.
    for (let index = 0; index < count; index++) {
      while (at >= end || page[at] === 0) {
        const next = this.#linkAt(page, end);
        page = this.#pages[next >>> 16] as Uint8Array;
        at = next & 0xffff;
        level += 1;
        end = at + sliceByteSize(level) - linkByteSize;
      }
      let byte = page[at++] as number;
      let first = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = page[at++] as number;
        first |= (byte & 127) << shift;
      }
      const kind = first & 3;
      document += first >>> 2;
      documents[index] = document;
      let frequency = 1;
      if (kind !== onceKind) {
        byte = page[at++] as number;
        frequency = byte & 127;
        for (let shift = 7; byte > 127; shift += 7) {
          byte = page[at++] as number;
          frequency |= (byte & 127) << shift;
        }
      }
      frequencies[index] = frequency;
      let headFrequency = 0;
      if (kind === headKind) {
        byte = page[at++] as number;
        headFrequency = byte & 127;
        for (let shift = 7; byte > 127; shift += 7) {
          byte = page[at++] as number;
          headFrequency |= (byte & 127) << shift;
        }
      }
      headFrequencies[index] = headFrequency;
    }
    return count;
  }

  #linkAt(page: Uint8Array, at: number): number {
    return (
      (page[at] as number) |
      ((page[at + 1] as number) << 8) |
      ((page[at + 2] as number) << 16) |
      ((page[at + 3] as number) << 24)
    );
  }

  #allocate(level: number): number {
    const byteSize = sliceByteSize(level);
    if (this.#pageUsed + byteSize > pageByteSize) {
      this.#pages.push(new Uint8Array(pageByteSize));
      this.#pageUsed = 0;
    }
    const address = (this.#pages.length - 1) * pageByteSize + this.#pageUsed;
    this.#pageUsed += byteSize;
    return address;
  }

  #extend(term: number): void {
    const level = (this.#levels[term] as number) + 1;
    const next = this.#allocate(level);
    const linkAddress = (this.#tails[term] as number) + (this.#tailFreeByteSizes[term] as number);
    const page = this.#pages[linkAddress >>> 16] as Uint8Array;
    for (let byte = 0; byte < linkByteSize; byte++) page[(linkAddress & 0xffff) + byte] = (next >>> (8 * byte)) & 255;
    this.#levels[term] = Math.min(level, lastLevel);
    this.#tails[term] = next;
    this.#tailFreeByteSizes[term] = sliceByteSize(level) - linkByteSize;
  }

  #write(address: number, value: number): number {
    const page = this.#pages[address >>> 16] as Uint8Array;
    let at = address & 0xffff;
    let rest = value;
    for (; rest > 127; rest >>>= 7) page[at++] = (rest & 127) | 128;
    page[at++] = rest;
    return address - (address & 0xffff) + at;
  }
}
