export { Catalogue } from "./catalogue";
export {
  type CassetteFeature,
  type CassetteSummary,
  cassetteFeatures,
  describeCassette,
  visibleText,
} from "./describe-cassette";
export { hashJson } from "./encoding";
export { cassetteEndpoints, listCassettesEndpoint } from "./endpoints";
export { findEventEnds, splitLines } from "./event-boundaries";
export {
  type Cassette,
  cassette2Schema,
  maxCassetteByteSize,
  maxChunkCount,
  maxDeltaMs,
  type Redaction,
  type RequestBody,
} from "./format";
export { hashRedacted } from "./hash-redacted";
export { type Capture, contentTypes, ImportError, parseJson, readCaptureFile } from "./import/capture";
export { generateTimes, splitEvents } from "./import/event-pieces";
export { harEntrySchema, harSchema, timeHarEntry } from "./import/har-entry";
export { harContent } from "./import/read-har";
export { cassettesOfSite, findExampleCassette, listCassettes, replayUrl } from "./list-cassettes";
export { MatchIndex } from "./match-index";
export { CassetteError, parseCassette, type VerifiedCassette } from "./parse-cassette";
export { type Pushed, pushCassettes } from "./push-cassettes";
export { type RecordedAnswer, readRecordedAnswer } from "./read-answer";
export { minExactLength } from "./recorder/find-secrets";
export { type Decoder, decoderFor } from "./recorder/read-body";
export { keepHeaders, redact } from "./recorder/redact";
export { upstreamUrl } from "./recorder/upstream-url";
export { type Recording, readRecordingEvents, toRecording } from "./recording";
export { encodeBody, hashForMatch, joinParent, type MatchKey, matchKeyOf, objectOf, omitShared } from "./request";
export { cassetteIdSchema, slugSchema, type Vertical, verticalSchema, verticals } from "./schemas";
export { sealCassette, serializeCassette } from "./seal-cassette";
export { cassettesOfSequences, sequencesFile, statusByErrorName } from "./sequences";
export { blobSettings, catalogue, listStoredIds, readStoredCassette, readStoredSequences } from "./store";
export { StoreUnavailableError } from "./stores/cassette-store";
export { folderStore } from "./stores/folder-store";
export { codeOf, WriteError, writeFileAtomically } from "./write-file";
