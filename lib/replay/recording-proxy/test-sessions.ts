import * as z from "zod";
import { isAlive } from "#lib/replay/cassettes/index";
import { answersSchema } from "./answers";
import {
  defaultTest,
  isPlaying,
  type Mode,
  modes,
  type SessionOptions,
  speedSettingSchema,
  type TapeConfig,
} from "./config";
import { faultSchema } from "./proxy-faults";
import { emptyReport, type SessionReport } from "./report";
import { currentPlace } from "./run-place";
import type { Outcome } from "./store-call";
import { TapeError } from "./tape-error";
import { volatileSchema } from "./tape-file";
import { placeTape } from "./tape-place";
import { abandonedRemover } from "./tape-replacement";
import { TestSession } from "./test-session";
import { listUnopened, type NamedTape, UnopenedTapes } from "./unopened-tapes";

/** Most misses that are told while the tests run; the summary has all. */
const maxToldCount = 20;
/** Most tests of one proxy. */
const maxSessionCount = 100_000;

export const testOptionsSchema = z.strictObject({
  mode: z.enum(modes).optional(),
  speed: speedSettingSchema.optional(),
  volatile: z.array(volatileSchema).max(100).optional(),
  faults: z.array(faultSchema).max(1000).optional(),
  /** Hand-written answers, which come before those of the tape. */
  answers: answersSchema.optional(),
  exact: z.boolean().optional(),
  /** Whose intercepted requests are this test's, until it ends. */
  process: z.string().min(1).max(100).optional(),
  /** Whether requests without a test of their own are this test's too, such as those of the app that it tests. */
  app: z.boolean().optional(),
  /** What requests of the app carry in place of a process if they are for this test. */
  mark: z.string().min(1).max(100).optional(),
});
/** What a test sets for itself. */
export type TestOptions = z.input<typeof testOptionsSchema>;

function speedOf(speed: TapeConfig["speed"]): number {
  if (speed === "max") return Number.POSITIVE_INFINITY;
  return speed === "recorded" ? 1 : speed;
}

export type TestSettings = {
  config: TapeConfig;
  mode: Mode;
  /** Default: the working directory and home directory of this process. */
  place?: SessionOptions["place"];
  /** Masked on all tapes, besides those of the configuration. */
  secrets: readonly string[];
  /** In mode `record`, the folders of the tapes that are recorded, if the others are played. */
  recordedAgain?: ReadonlySet<string> | undefined;
  /** In mode `record`, whether the tapes of tests that fail are replaced too. */
  keepsFailed?: boolean | undefined;
  recordCommand: string;
  /** Gets what the developer has to know while the tests run, one sentence at a time. */
  warn?: ((text: string) => void) | undefined;
};

/** Whether the process of a test, named by its id and thread, has ended: its tests will not. */
function hasEnded(process: string | undefined): boolean {
  const pid = Number.parseInt(process ?? "", 10);
  return pid > 0 && !isAlive(pid);
}

/** The tests of a run: their tapes, and which of them run in which process. */
export class TestSessions {
  readonly #settings: TestSettings;
  readonly #volatileText: readonly RegExp[];
  readonly #sessions = new Map<string, Promise<TestSession>>();
  /** Folder of each test's tape. */
  readonly #folders = new Map<string, string>();
  /** Reports of tests whose tape could not be read. */
  readonly #failed = new Map<string, SessionReport>();
  /** The tests that run in each process. */
  readonly #running = new Map<string, Set<string>>();
  /** Misses that were told while the tests run. */
  #toldCount = 0;
  /** The tests that have the requests of processes without one, and their processes. */
  readonly #ofApp = new Map<string, string | undefined>();

  /** Tests that ran when a request that may have been theirs was put on the default tape. */
  readonly #passedOver = new Set<string>();
  /** The first two of those that had the requests of an app, and the number of these requests. */
  #unmarked: { tests: string[]; count: number } = { tests: [], count: 0 };

  readonly #cleanBeside: (folder: string) => Promise<void>;
  readonly #unopened: UnopenedTapes;

  constructor(settings: TestSettings) {
    const { config } = settings;
    this.#settings = settings;
    this.#volatileText = config.volatile_text.map((source) => new RegExp(source, "gu"));
    this.#cleanBeside = abandonedRemover(config.tapes);
    this.#unopened = new UnopenedTapes(config.tapes, (tape) => this.#isOpened(tape));
  }

  #isOpened({ test, folder }: NamedTape): boolean {
    return this.#folders.get(test) === folder;
  }

  #testsIn(process: string | null): string[] {
    const tests = process === null ? undefined : this.#running.get(process);
    // What an app started for the request of a test may go on for the next ones, so that the mark of an ended test does not count.
    return [...(tests ?? this.#ofApp.keys())];
  }

  /** Returns the test whose a process's requests are, or those with a mark: the only one that runs there, or that of the app. */
  testOf(process: string | null): string {
    const tests = this.#testsIn(process);
    const [first] = tests;
    if (first === undefined) return defaultTest;
    if (tests.length === 1) return first;
    if (this.#running.has(process ?? "")) for (const test of tests) this.#passedOver.add(test);
    else this.#unmarked = { tests: tests.slice(0, 2), count: this.#unmarked.count + 1 };
    return defaultTest;
  }

  /** Returns the test whose a request with a base URL of the environment is: that of its process or mark, or of the app. */
  testOfUnnamed(process: string | null): string {
    const test = this.testOf(process);
    if (test !== defaultTest || this.#ofApp.size > 0) return test;
    for (const tests of this.#running.values()) for (const each of tests) this.#passedOver.add(each);
    return defaultTest;
  }

  /** Says on the report of the default tape which tests may lack its requests: those without any that ran when it got one. */
  #noteEmpty(reports: readonly SessionReport[]): void {
    const { tests, count } = this.#unmarked;
    if (count > 0)
      reports
        .find(({ test }) => test === defaultTest)
        ?.notes.push(
          `Calls of an app without the mark of a test, while several tests with app: true ran ("${tests.join('", "')}"): ${count}. Apps on Node.js carry the mark from a page's request to their calls, if it is to the page's own port or has credentials: "include". For all else, run these tests with workers: 1.`,
        );
    const empty = reports.filter(({ test, requests }) => requests === 0 && this.#passedOver.has(test));
    const more = empty.length > 1 ? ` The same for ${empty.length - 1} more.` : "";
    if (empty[0])
      reports
        .find(({ test }) => test === defaultTest)
        ?.notes.push(
          `Calls of clients that read a variable such as OPENAI_BASE_URL, or of tests that run at once, are on this tape, and that of the test "${empty[0].test}" got none: give its clients t.openai (tape.openai in Python) as base URL, or set app: true for those of an app.${more}`,
        );
  }

  /** Whether a tape plays all requests to a host: that of a test that runs in a process, or else the default one. Throws TapeError. */
  async plays(process: string | null, host: string): Promise<boolean> {
    const running = this.#testsIn(process);
    const tests = running.length === 1 ? running : [...running, defaultTest];
    const known = tests.filter((test) => isPlaying(this.#settings.mode) || this.#sessions.has(test));
    const sessions = await Promise.all(known.map((test) => this.open(test)));
    return sessions.some((session) => session.plays(host));
  }

  /** Starts a test, again if it ran before. Throws TapeError. */
  async begin(test: string, options: TestOptions = {}): Promise<TestSession> {
    const { process, app, mark } = options;
    if (app) this.#takeApp(test, process);
    for (const each of [process, mark])
      if (each) this.#running.set(each, (this.#running.get(each) ?? new Set()).add(test));
    try {
      return await this.#openAgain(test, options);
    } catch (error) {
      // Its runner does not end what it could not begin.
      this.#leave(test);
      throw error;
    }
  }

  #takeApp(test: string, process: string | undefined): void {
    for (const [other, ofOther] of this.#ofApp) {
      if (hasEnded(ofOther)) this.#ofApp.delete(other);
      else if (other !== test && ofOther === process)
        throw new TapeError(
          `The requests of the app are those of the test "${other}", which runs in the same process and has not ended: run such tests one after another`,
        );
    }
    this.#ofApp.set(test, process);
  }

  #leave(test: string): void {
    for (const [process, tests] of this.#running) {
      tests.delete(test);
      if (tests.size === 0) this.#running.delete(process);
    }
    this.#ofApp.delete(test);
  }

  async #openAgain(test: string, options: TestOptions): Promise<TestSession> {
    const isKnown = this.#sessions.has(test);
    const session = await this.open(test, options);
    if (isKnown) await session.begin(this.#sessionOptions(session.folder, options));
    return session;
  }

  /** Ends a test; in mode `record` its tape is replaced if it has passed. */
  async end(test: string, hasPassed = true): Promise<SessionReport | undefined> {
    this.#leave(test);
    return (await this.#sessions.get(test))?.end(hasPassed ? "passed" : "failed");
  }

  /** Returns the tests that were begun or asked: the default tape may have been opened for its hosts alone. */
  async #used(): Promise<TestSession[]> {
    const opened = await Promise.allSettled(this.#sessions.values());
    return opened
      .flatMap((result) => (result.status === "fulfilled" ? [result.value] : []))
      .filter((session) => session.test !== defaultTest || session.total().requests > 0);
  }

  /** Returns reports of the tapes that no request asked for. Throws TapeError. */
  async unopened(): Promise<SessionReport[]> {
    const known = new Set((await this.#used()).map(({ folder }) => folder));
    return listUnopened(this.#settings.config.tapes, (folder) => known.has(folder));
  }

  /** Ends every test, and returns their reports, also of those whose tape could not be read. */
  async endAll(outcome: Outcome): Promise<SessionReport[]> {
    const reports = await Promise.all(
      (await this.#used()).map(async (session) => {
        await session.end(outcome);
        const report = session.total();
        for (const miss of report.misses) miss.others = miss.others?.filter((tape) => !this.#isOpened(tape));
        return report;
      }),
    );
    this.#noteEmpty(reports);
    reports.push(...this.#failed.values());
    return reports.sort((a, b) => (a.test < b.test ? -1 : 1));
  }

  #sessionOptions(folder: string, options: TestOptions): SessionOptions {
    const { mode, speed, volatile = [], faults = [], answers = [], exact } = options;
    const { config, recordedAgain, recordCommand, keepsFailed = false, ...run } = this.#settings;
    const isPlayed = run.mode === "record" && recordedAgain?.has(folder) === false;
    const ownMode = mode ?? (isPlayed ? "replay" : run.mode);
    return {
      mode: ownMode,
      speed: speedOf(speed ?? config.speed),
      volatile: [...config.volatile, ...volatile],
      volatileText: this.#volatileText,
      comparedHeaders: config.compare_headers,
      place: { ...currentPlace(), ...run.place },
      secrets: [...config.redact, ...run.secrets],
      allowed: config.allow,
      isExact: exact ?? config.exact,
      matching: exact === true ? "request" : (config.match ?? "request"),
      // Where the provider can be asked, an error is not played again: the next call may succeed.
      repeats: !config.repeat ? "none" : ownMode === "replay" ? "all" : "complete",
      faults: faults.map((fault) => faultSchema.parse(fault)),
      answers: { own: answersSchema.parse(answers), shared: config.answers },
      maxAgeDays: config.max_age,
      recordCommand,
      keepsFailed,
      tell: (text) => {
        this.#toldCount += 1;
        if (this.#toldCount <= maxToldCount) run.warn?.(text);
      },
    };
  }

  /** Opens the tape of a test, once. Rejects with TapeError. */
  open(test: string, options: TestOptions = {}): Promise<TestSession> {
    const known = this.#sessions.get(test);
    if (known) return known;
    if (this.#sessions.size >= maxSessionCount)
      throw new Error(`The proxy has ${maxSessionCount} tests; start another one.`);
    const { tapes: root } = this.#settings.config;
    const folder = this.#folders.get(test) ?? placeTape(root, test, this.#folders.values());
    this.#folders.set(test, folder);
    const opened = this.#cleanBeside(folder).then(() =>
      TestSession.open({ root, folder }, test, this.#sessionOptions(folder, options), this.#unopened),
    );
    this.#sessions.set(test, opened);
    opened.then(
      () => this.#failed.delete(test),
      (error: Error) => {
        // A tape that cannot be read may be repaired while the proxy runs.
        this.#sessions.delete(test);
        this.#failed.set(test, { ...emptyReport(test, folder), unreadable: 1, notes: [`${error.message}.`] });
      },
    );
    return opened;
  }
}
