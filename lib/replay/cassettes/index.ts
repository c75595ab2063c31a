export { Catalogue } from "./catalogue";
export {
  type CassetteFeature,
  type CassetteSummary,
  cassetteFeatures,
  describeCassette,
  promptOf,
} from "./describe-cassette";
export { cassetteEndpoints, listCassettesEndpoint } from "./endpoints";
export { type FoldedMessage, foldMessage } from "./fold-message";
export { cassettesOfSite, listCassettes, replayUrl } from "./list-cassettes";
export { CassetteError, parseCassette, type VerifiedCassette } from "./parse-cassette";
export { type Pushed, pushCassettes } from "./push-cassettes";
export { type RecordedEvent, readEvents } from "./read-events";
export { listStoredIds, readStoredCassette } from "./read-stored-cassette";
export { type Recording, toRecording } from "./recording";
export { cassetteIdSchema, slugSchema, type Vertical, verticalSchema, verticals } from "./schemas";
export { blobSettings, catalogue } from "./store";
export { folderStore } from "./stores/folder-store";
export { StoreUnavailableError } from "./stores/store";
export { WriteError } from "./write-error";
