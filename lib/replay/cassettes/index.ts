export { Catalogue } from "./catalogue";
export {
  type CassetteFeature,
  type CassetteSummary,
  cassetteFeatures,
  describeCassette,
  visibleText,
} from "./describe-cassette";
export { cassetteEndpoints, listCassettesEndpoint } from "./endpoints";
export { findEventEnds, splitLines } from "./event-boundaries";
export { hashRedacted } from "./hash-redacted";
export { cassettesOfSite, findExampleCassette, listCassettes, replayUrl } from "./list-cassettes";
export { MatchIndex } from "./match-index";
export { CassetteError, parseCassette, type VerifiedCassette } from "./parse-cassette";
export { type Pushed, pushCassettes } from "./push-cassettes";
export { type RecordedAnswer, readRecordedAnswer } from "./read-answer";
export { type Recording, readRecordingEvents, toRecording } from "./recording";
export { type MatchKey, matchKeyOf } from "./request";
export { cassetteIdSchema, slugSchema, type Vertical, verticalSchema, verticals } from "./schemas";
export { blobSettings, catalogue, listStoredIds, readStoredCassette } from "./store";
export { StoreUnavailableError } from "./stores/cassette-store";
export { folderStore } from "./stores/folder-store";
export { WriteError } from "./write-file";
