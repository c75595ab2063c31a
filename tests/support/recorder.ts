import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach } from "vitest";
import { systemClock } from "#lib/platform/clock";
import { parseCassette, type VerifiedCassette } from "#lib/replay/cassettes/index";
import { type RecordContext, type Recorded, type RecordInput, record } from "#lib/replay/cassettes/recorder/index";
import { anthropic } from "#lib/replay/providers/index";
import { type Answer, type ProviderDouble, startProvider } from "./provider-double";
import { temporaryFolder } from "./temporary-folder";

/** A fake API key in the provider's format. */
export const testKey = "sk-ant-api03-Key0000Key1111Key2222Key3333Key4444Key5555-AA";

type Change = Partial<RecordInput> & { body?: Record<string, unknown>; context?: Partial<RecordContext> };

/** Records `legal/a` from a provider on the loopback into a temporary folder. */
export type TestRecorder = {
  readonly folder: string;
  readonly provider: ProviderDouble;
  /** Starts a provider with one response and records it. */
  from(answer: Answer, change?: Change): Promise<Recorded>;
  at(baseUrl: string, change?: Change): Promise<Recorded>;
  /** Returns the names of all written files, including temporary ones. */
  files(): Promise<string[]>;
  /** Returns the written cassette, and the body of its response. */
  cassette(): Promise<VerifiedCassette & { body: Buffer }>;
};

const messagesBody = { model: "claude-test-1", max_tokens: 64, messages: [{ role: "user", content: "Well?" }] };

/** Call once per test file. */
export function setUpRecorder(): TestRecorder {
  let folder = "";
  let provider: ProviderDouble | undefined;
  beforeEach(() => {
    provider = undefined;
    folder = temporaryFolder();
  });
  const at = (baseUrl: string, { context, body = messagesBody, ...change }: Change = {}) =>
    record(
      { clock: systemClock, ...context },
      {
        id: "legal/a",
        title: "A recording",
        subtitle: "",
        provider: anthropic,
        request: { path: "/v1/messages", query: "", body: { stream: true, ...body } },
        baseUrl,
        apiKey: testKey,
        allowError: false,
        destination: { folder, force: false },
        ...change,
      },
    );
  return {
    get folder() {
      return folder;
    },
    get provider() {
      if (!provider) throw new Error("The provider was not started.");
      return provider;
    },
    at,
    from: async (answer, change) => {
      provider = await startProvider(answer);
      return at(provider.origin, change);
    },
    files: async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    cassette: async () => {
      const parsed = parseCassette(await readFile(join(folder, "legal/a.json")));
      return { ...parsed, body: Buffer.concat(parsed.chunks.map(({ bytes }) => bytes)) };
    },
  };
}
