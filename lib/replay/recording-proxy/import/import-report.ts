import type { SourceExchange } from "./source-exchange";

export type ImportReport = {
  file: string;
  test: string;
  imported: number;
  /** Of these, recordings of which it is not known when they were made. */
  undated: number;
  /** Exchanges whose requests the tape has already. */
  known: number;
  /** Each exchange that was left out, and what else the developer has to know. */
  notes: string[];
  leftOut: number;
  redactions: number;
  /** Where the first of these secrets were. */
  redacted: string[];
  /** Why the file, or an exchange of it, could not be read. */
  problems: string[];
};

/** Returns the report of a file of which nothing is imported yet. */
export function emptyReport(file: string, test: string): ImportReport {
  const counts = { imported: 0, undated: 0, known: 0, leftOut: 0, redactions: 0 };
  return { file, test, ...counts, notes: [], redacted: [], problems: [] };
}

/** Counts an exchange that is not imported, and why. */
export function leaveOut(report: ImportReport, note: string): void {
  report.notes.push(note);
  report.leftOut += 1;
}

function placeOf(method: string, url: URL): string {
  return `${method} ${url.origin}${url.pathname}`.slice(0, 500);
}

/** Returns why a request has no place at the proxy. */
export function describeUnknown({ method, url: text }: SourceExchange, url: URL | null | undefined): string {
  if (!url) return `${text.slice(0, 200)} was left out: it is not a URL.`;
  return `${placeOf(method, url)} was left out: it is not a request over HTTP with a usual method.`;
}

/** Returns why a request is not imported that is none to a model. */
export function describeOther({ method }: SourceExchange, url: URL, isModelHost: boolean): string {
  const advice = isModelHost
    ? "In replay, it is answered without a recording."
    : `To import all requests to its host, add "${url.host}" to hosts in tapedeck.config.json.`;
  return `${placeOf(method, url)} was left out: it is not a request to a model. ${advice}`;
}
