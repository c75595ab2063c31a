export { type Mode, modes, readConfig } from "./config";
export {
  type ImportReport,
  type ImportTool,
  importTapes,
  importTools,
} from "./import/import-tapes";
export { maxSeed, seededDelays } from "./jitter";
export { type LastRun, readLastRun, writeLastRun } from "./last-run";
export { describeOutside, type OutsideReport } from "./outside";
export { type ProxyOptions, RecordingProxy } from "./proxy";
export type { CallFault } from "./proxy-faults";
export { tokenHeader } from "./refuse-request";
export { countUnanswered, describeMiss, describeReports, type SessionReport } from "./session-report";
export { Tape } from "./tape";
export { removeTape } from "./tape-commit";
export { TapeError } from "./tape-error";
export { listAbandoned, listTapeFolders, readTapeFile } from "./tape-file";
export { tapeFolder } from "./tape-name";
export { baseUrlAt, clientEnvironment, placeholderKeys } from "./upstreams";
