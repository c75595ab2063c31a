export { configFileName, type Mode, modes, readConfig, type TapeConfig } from "./config";
export { type LastRun, readLastRun, writeLastRun } from "./last-run";
export { type ProxyOptions, RecordingProxy, type TestOptions } from "./proxy";
export type { CallFault } from "./proxy-faults";
export { describeMiss, describeReports, type Miss, type SessionReport } from "./session-report";
export { Tape } from "./tape";
export { listTapeFolders, TapeError } from "./tape-file";
export { tapeFolder } from "./tape-name";
export { baseUrlAt, clientEnvironment, placeholderKeys } from "./upstreams";
