import { pino } from "pino";
import { systemClock } from "#lib/platform/clock";
import { type Catalogue, folderStore, type Vertical } from "#lib/replay/cassettes/index";
import type { CassetteStore } from "#lib/replay/cassettes/stores/cassette-store";
import { catalogueOver, sampleCassette } from "#tests/support/sample-cassette";
import { untimed } from "#tests/support/timers";

/** A store of small cassettes that tests can change: text by id. */
export class MemoryStore implements CassetteStore {
  readonly kind = "folder";
  readonly #texts = new Map<string, { text: string; revision: number }>();
  #revision = 0;

  set(id: string, text: string): void {
    this.#revision += 1;
    this.#texts.set(id, { text, revision: this.#revision });
  }

  delete(id: string): void {
    this.#texts.delete(id);
  }

  async list() {
    return [...this.#texts].map(([id, { revision }]) => ({ id, revision: String(revision), byteSize: 1 }));
  }

  async read(id: string) {
    const stored = this.#texts.get(id);
    if (!stored) return null;
    return { bytes: Buffer.from(sampleCassette(id, stored.text)), revision: String(stored.revision) };
  }
}

/** Returns a catalogue of the bundled cassettes. */
export function bundledCatalogue(): Catalogue {
  return catalogueOver({ ...folderStore("content/cassettes"), watch: undefined });
}

export function searchContext(catalogue: Catalogue, vertical: Vertical = "developer-tools") {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  return {
    catalogue,
    site: { vertical },
    origin: "https://replay.example.com",
    clock: systemClock,
    startTimer: untimed,
    log,
    lines,
  };
}
