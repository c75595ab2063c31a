import { nameCommand, npxCommand } from "#lib/platform/command-line";

/** What the command and the fixtures share. The package has it once; `build.mjs` sends the imports of both here. */
export { bundledModels, dayOf, daysIfOld, ModelCatalogue, modelListSchema } from "#lib/models/index";
export { commandFor, commandLine, commandName, isInstalled, nameCommand, npxCommand } from "#lib/platform/command-line";
export { childEnvironment, setVariables } from "#lib/platform/config";
export {
  cassetteEnding,
  cassetteIdSchema,
  describeCassette,
  EditError,
  editableText,
  editedFile,
  objectOf,
  parseCassette,
  RecordError,
  readEditable,
  readRecordedAnswer,
  recordedAtOf,
  serializeCassette,
  tapeSlug,
  toRecording,
  writeFileAtomically,
} from "#lib/replay/cassettes/index";
export { holdEnds, interceptedEnvironment } from "#lib/replay/interception/index";
export { openRecording, pacer, speedSchema } from "#lib/replay/playback/index";
export {
  asObject,
  EventReader,
  framingOf,
  jsonText,
  objectsOf,
  requireProvider,
  textOrNull,
  tokensOf,
} from "#lib/replay/providers/index";
export {
  addUses,
  baseUrlAt,
  clientEnvironment,
  configFileName,
  countInResults,
  countMissed,
  countUnanswered,
  countUnused,
  defaultTest,
  describeAll,
  describeMiss,
  describeOutside,
  describePassedPorts,
  describeRedactions,
  describeReports,
  findConfig,
  findUnusedTapes,
  foldersOfRepository,
  hostSchema,
  importTapes,
  importTools,
  listAbandoned,
  listTapeFolders,
  matchings,
  modelOf,
  modes,
  moveTape,
  notRecorded,
  placeholderKeys,
  RecordingProxy,
  readConfig,
  readLastRun,
  readLocalHosts,
  readRecordedCalls,
  readTapeFile,
  readYaml,
  removeTape,
  runAllFlags,
  sendAgain,
  Tape,
  TapeError,
  tokenHeader,
  whyNotAgain,
  writeLastRun,
} from "#lib/replay/recording-proxy/index";

nameCommand(() => npxCommand("@tapedeck/testing", "tapedeck"));
