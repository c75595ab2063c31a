/** What the command and the fixtures share. The package has it once; `build.mjs` sends the imports of both here. */
export { childEnvironment } from "#lib/platform/config";
export { describeCassette, parseCassette, readRecordedAnswer, toRecording } from "#lib/replay/cassettes/index";
export { openRecording, pacer, speedSchema } from "#lib/replay/playback/index";
export { EventReader, framingOf, requireProvider } from "#lib/replay/providers/index";
export {
  baseUrlAt,
  clientEnvironment,
  describeMiss,
  describeReports,
  importTapes,
  importTools,
  listTapeFolders,
  modes,
  placeholderKeys,
  RecordingProxy,
  readConfig,
  readLastRun,
  Tape,
  TapeError,
  writeLastRun,
} from "#lib/replay/recording-proxy/index";
