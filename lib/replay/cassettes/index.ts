export { composeAnswer } from "./author/compose-answer";
export { createRandom } from "./author/seeded-random";
export { Catalogue } from "./catalogue";
export { CassetteError } from "./decode-cassette";
export {
  type CassetteFeature,
  type CassetteSummary,
  cassetteFeatures,
  describeCassette,
} from "./describe-cassette";
export { downloadCassette, isFileShared } from "./download-cassette";
export { EditError, editableText, editedFile, readEditable } from "./edit-cassette";
export { hashJson, storableText } from "./encoding";
export { cassetteEndpoints, downloadCassetteEndpoint, listCassettesEndpoint } from "./endpoints";
export { endsOf, findEventEnds, splitLines } from "./event-boundaries";
export {
  type Cassette,
  cassetteSchema,
  maxCassetteByteSize,
  maxChunkCount,
  type Redaction,
  type RequestBody,
  recordedAtOf,
} from "./format";
export { type Capture, contentTypes, findExcess, ImportError, parseJson } from "./import/capture";
export { splitEvents } from "./import/event-pieces";
export { generateTimes } from "./import/generate-times";
export { harEntrySchema, timeHarEntry } from "./import/har-entry";
export { readCaptureFile } from "./import/read-capture-file";
export { harContent, parseHar } from "./import/read-har";
export { type Lineage, lineageOf } from "./lineage";
export {
  cassettesOfSite,
  describeUse,
  downloadUrl,
  findAdjacentCassettes,
  findExampleCassette,
  listCassettes,
  listingQuerySchema,
  replayUrl,
  selectCassettes,
} from "./list-cassettes";
export { MatchIndex } from "./match-index";
export { parseCassette, type VerifiedCassette } from "./parse-cassette";
export { type Pushed, pushCassettes } from "./push-cassettes";
export { type RecordedAnswer, readRecordedAnswer } from "./read-answer";
export { capture, recordLimits } from "./recorder/capture";
export { minKnownLength } from "./recorder/find-secrets";
export { keepHeaders } from "./recorder/keep-headers";
export { decodeReads, Reads } from "./recorder/read-body";
export { describeProviderError, RecordError } from "./recorder/record-error";
export { redact } from "./recorder/redact";
export { type Replacement, replaceInResponse } from "./recorder/replace-in-response";
export { signatureNames } from "./recorder/secret-members";
export { readEach, send } from "./recorder/send";
export { upstreamUrl } from "./recorder/upstream-url";
export { type Recording, readRecordingEvents, toRecording } from "./recording";
export {
  encodeBody,
  hashForMatch,
  isFirstTurn,
  joinParent,
  type MatchKey,
  matchKeyOf,
  objectOf,
  omitShared,
} from "./request";
export {
  cassetteIdSchema,
  listedVerticalSchema,
  slugSchema,
  type Vertical,
  verticalSchema,
  verticals,
} from "./schemas";
export { sealCassette, serializeCassette } from "./seal-cassette";
export { cassettesOfSequences, parseSequence, sequencesFile, statusByErrorName } from "./sequences";
export { blobSettings, catalogue, listStoredIds, readStoredCassette, readStoredSequences } from "./store";
export { StoreUnavailableError } from "./stores/cassette-store";
export { folderStore } from "./stores/folder-store";
export { cassetteEnding, tapeFileName, tapeSlug } from "./tape-names";
export { listingAdvice, meantId, unknownCassette } from "./unknown-cassette";
export { codeOf, isAlive, WriteError, writeFileAtomically } from "./write-file";
