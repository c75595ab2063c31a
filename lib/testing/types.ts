/** What happens to an answer while it is sent. */
type Delivery = {
  /** Number of events after which the connection is cut, or what `do` says happens. */
  afterEvent?: number;
  /** `cut` closes the connection, `error` sends an error event, `end` ends the stream as if it were complete. Default: `cut`. */
  do?: "cut" | "error" | "end";
  /** Pause after the first piece, in milliseconds; at most 60,000. */
  stallMs?: number;
  /** Delay before the first byte, in milliseconds; at most 60,000. */
  firstByteMs?: number;
  /** Longest random delay before each event, in milliseconds; at most 60,000. */
  jitterMs?: number;
  /** Decides these delays: the same seed, the same delays. Default: a random one, which the summary of the run names. */
  seed?: number;
  /** Size of the pieces, in bytes; 1 divides every character. They leave 1 ms apart, in a minute at most. */
  rechunk?: number;
};

/** A fault of one call of a test. Calls are counted from 1, in the order in which they arrive. */
export type CallFault = Delivery & {
  call: number;
  /** Only calls to this host count, as `api.groq.com`; `*` stands for any part. */
  host?: string;
  /** Sends this error, 400 to 599, instead of an answer. The recording stays for the next call. */
  status?: number;
  /** Seconds in the `retry-after` header of that error. */
  retryAfterS?: number;
  /** The provider's code of that error, such as `insufficient_quota`. Default: that of the status. */
  code?: string;
  /** The text of that error. */
  message?: string;
  /** The whole body of that error in place of the provider's format, `text/plain` unless `headers` say otherwise. */
  body?: string;
  /** More headers of that error, or other values. */
  headers?: Record<string, string>;
};

/**
 * A hand-written answer, or an error. One without `when`, `model` and `times` is given to every call that comes to it. A fault of
 * the test acts in place of what the answer says of its delivery. Without a `seed`, its random delays are the same in each run.
 */
export type HandWritten = Delivery & {
  /** What the last message of the request contains or matches: what the user wrote last, or what tools returned last. */
  when?: string | RegExp;
  /** The model that the request names. Default: any. */
  model?: string;
  /** The host that is asked, as `api.groq.com`; `*` stands for any part. Default: any. */
  host?: string;
  /** The path that is asked, such as `/v1/embeddings`; `*` stands for any part. Default: any of a chat protocol. */
  path?: string;
  /** Number of calls that get it; the next ones get the next answer that matches. Default: any. */
  times?: number;
  text?: string;
  /** Is left out in Chat Completions, which have none. */
  thinking?: string;
  toolCalls?: { name: string; input?: Record<string, unknown> }[];
  /** Says that the text was cut at the limit of tokens. */
  stopReason?: "max_tokens";
  /** Token counts, where they matter. `inputTokens` include the cached ones. Default: an estimate. */
  usage?: { inputTokens?: number; outputTokens?: number; cachedTokens?: number };
  /** More headers of the response, or other values. */
  headers?: Record<string, string>;
  /** With a path: a whole answer, with `status` and `headers`, as JSON or as bytes, or as a text in `body`. */
  json?: unknown;
  base64?: string;
  /** Sends this error, 400 to 599, with `retryAfterS`, `code`, `message`, and `body` or `json`, as in a fault. */
  status?: number;
  retryAfterS?: number;
  code?: string;
  message?: string;
  body?: string;
};

/** `auto` records what the tape lacks, `replay` calls no model, `record` records again, `live` records nothing. */
export type Mode = "auto" | "replay" | "record" | "live";

/** What a test sets for itself. */
export type TapeOptions = {
  /** Name of the test. Default: its file and name, as the test runner knows them. */
  test?: string;
  mode?: Mode;
  /** `max` (default), `recorded`, or a factor from 0.1 to 100. */
  speed?: "max" | "recorded" | number;
  /** JSON pointers of request fields that are not compared; `*` stands for any member. */
  volatile?: string[];
  faults?: CallFault[];
  /** Hand-written answers, which come before those of the tape. The first that matches is given. Not in mode `live`. */
  answers?: HandWritten[];
  /** Whether only requests match that are exactly equal. */
  exact?: boolean;
  /**
   * Whether the calls of the app that it tests, and of all processes without a test of their own, are on this tape until the
   * test ends. Several tests of a run can have it at once if the app runs on Node.js: it then tells them apart by their requests.
   */
  app?: boolean;
};

/** A request that the test's code has sent, and what came of it. */
export type SeenRequest = {
  method: string;
  /** Host that the client asked, or that of the provider whose base URL it has. */
  host: string;
  path: string;
  /** By their names in lower case, without credentials and cookies, and with secrets masked. */
  headers: Record<string, string>;
  /** Null if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test knows the shape of the body that its code sends
  body: any;
  /** Null until the answer begins; 101 for a WebSocket. */
  status: number | null;
  /** Whether the client left before the end of the answer. */
  aborted: boolean;
};

/** What a test's requests came to. */
export type TapeReport = {
  test: string;
  folder: string;
  played: number;
  /** Requests that got a hand-written answer. */
  answered: number;
  recorded: number;
  misses: { test: string; request: string; reason: string }[];
  /** Files of recordings that no request asked for. */
  unused: string[];
  /** What the developer has to know, such as an answer that was not complete. */
  notes: string[];
};

/** The tape of one test: where its clients send their requests. */
export type TestTape = {
  readonly test: string;
  /** Base URLs for the SDKs of the providers. */
  readonly anthropic: string;
  readonly openai: string;
  readonly gemini: string;
  readonly ollama: string;
  /** Returns the base URL of an upstream, such as one in `tapedeck.config.json`. Throws if there is no such upstream. */
  baseUrl(upstream: string): string;
  /** Returns the requests so far, in order. */
  requests(): Promise<SeenRequest[]>;
  /**
   * Ends the test. In mode `record`, its tape is replaced if it has passed. `mayBeIdle`: whether it rightly made no calls, as
   * one that was skipped. Test runners with hooks call it themselves. Without `tapedeck run`, rejects in mode `replay` if the
   * test has passed although a call missed, or although none came to its recordings.
   */
  end(passed?: boolean, mayBeIdle?: boolean): Promise<TapeReport>;
};
