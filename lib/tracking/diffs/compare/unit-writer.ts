/** Collects text by its UTF-16 code units: many times faster than joining strings where there are millions of lines. */
export class UnitWriter {
  #units = new Uint16Array(4_096);
  #length = 0;

  #reserve(count: number): void {
    if (this.#length + count <= this.#units.length) return;
    const larger = new Uint16Array(Math.max(this.#units.length * 2, this.#length + count));
    larger.set(this.#units.subarray(0, this.#length));
    this.#units = larger;
  }

  write(text: string): void {
    this.#reserve(text.length);
    for (let index = 0; index < text.length; index++) this.#units[this.#length++] = text.charCodeAt(index);
  }

  /** Writes a range of a text that holds `lineCount` lines, each behind a prefix of one code unit. */
  writeLines(prefix: number, text: string, start: number, end: number, lineCount: number): void {
    this.#reserve(end - start + lineCount);
    const units = this.#units;
    let length = this.#length;
    let startsLine = true;
    for (let index = start; index < end; index++) {
      if (startsLine) units[length++] = prefix;
      const unit = text.charCodeAt(index);
      units[length++] = unit;
      startsLine = unit === 10;
    }
    this.#length = length;
  }

  toString(): string {
    return Buffer.from(this.#units.buffer, 0, this.#length * 2).toString("utf16le");
  }
}
