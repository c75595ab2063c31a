export { isKnownModel } from "./answered-model";
export {
  configFileName,
  defaultTest,
  findConfig,
  findUnusedTapes,
  foldersOfRepository,
  type Matching,
  type Mode,
  matchings,
  modes,
  readConfig,
  type TapeConfig,
} from "./config";
export { hostSchema } from "./host-schema";
export type { ImportReport } from "./import/import-report";
export { type ImportTool, importTapes, importTools } from "./import/import-tapes";
export { readYaml } from "./import/read-yaml";
export { type LastRun, readLastRun, readRun, writeLastRun } from "./last-run";
export { maskTape } from "./mask-tape";
export { notRecorded } from "./match-request";
export { addUses, type ModelUse } from "./model-use";
export { moveTapes } from "./move-tape";
export { describeOutside, describePassedPorts, type OutsideReport } from "./outside";
export { type ProxyOptions, RecordingProxy } from "./proxy";
export type { CallFault } from "./proxy-faults";
export { secretsOf } from "./read-request";
export { modelOf, type RecordedCall, readRecordedCalls } from "./recorded-calls";
export { tokenHeader } from "./refuse-request";
export { countInResults, countMissed, countUnanswered, countUnused, type SessionReport } from "./report";
export { type Again, type Repeated, sendAgain, whyNotAgain } from "./send-again";
export { describeAll, describeMiss, describeReports, runAllFlags } from "./session-report";
export { describeRedactions } from "./store-exchange";
export { type Exchange, Tape } from "./tape";
export { removeTape } from "./tape-commit";
export { TapeError } from "./tape-error";
export { isFileContent, listAbandoned, listTapeFolders, readHosts, readLocalHosts, readTapeFile } from "./tape-file";
export { divideName, tapeFolder } from "./tape-place";
export type { TapeRequest } from "./tape-request";
export { listUnopened } from "./unopened-tapes";
export { baseUrlAt, clientEnvironment, placeholderKeys } from "./upstreams";
export { messagesOf, readSteps } from "./web-sockets/messages";
