import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { cassetteEnding, codeOf } from "#lib/replay/cassettes/index";
import { listCassetteFiles } from "./tape-file";

/** Most names that an answer tries while other runs record on the same tape. */
const maxNamesTried = 100;

type Place = { root: string; folder: string };

const numberOf = (file: string) => Number.parseInt(file, 10) || 0;
const lastNumber = (files: readonly string[]) => files.reduce((last, file) => Math.max(last, numberOf(file)), 0);
const nameOf = (number: number) => `${String(number).padStart(3, "0")}${cassetteEnding}`;

/** Names of the files that a run adds to a tape, in the order of its requests. */
export class FileNames {
  #next: number;
  /** In the order of their numbers, without the shift. */
  readonly #reserved = new Set<number>();
  #shift = 0;

  constructor(files: readonly string[]) {
    this.#next = lastNumber(files) + 1;
  }

  reserve(): string {
    this.#reserved.add(this.#next);
    return nameOf(this.#next++);
  }

  /**
   * Calls `write` with the name under which a reserved file is stored: all names move, in their order, past the files of other
   * runs. If another run takes the name meanwhile, calls it again with the next free one.
   */
  async write(reserved: string, { root, folder }: Place, write: (name: string) => Promise<void>): Promise<void> {
    for (let count = 1; ; count += 1) {
      // A name that a person gave stays.
      const nameNow = () => (this.#shift === 0 ? reserved : nameOf(numberOf(reserved) + this.#shift));
      if (await lstat(join(folder, nameNow())).catch(() => null)) {
        const [first = this.#next] = this.#reserved;
        this.#shift = lastNumber(await listCassetteFiles(folder, root)) - first + 1;
      }
      try {
        await write(nameNow());
        this.#reserved.delete(numberOf(reserved));
        return;
      } catch (error) {
        if (codeOf(error) !== "EEXIST" || count === maxNamesTried) throw error;
      }
    }
  }
}
