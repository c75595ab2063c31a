export { Catalogue } from "./catalogue";
export { type CassetteSummary, promptOf } from "./describe-cassette";
export { cassetteEndpoints, listCassettesEndpoint } from "./endpoints";
export { type FoldedMessage, foldMessage } from "./fold-message";
export { cassettesOfSite, listCassettes, replayUrl } from "./list-cassettes";
export { type RecordedEvent, readEvents } from "./read-events";
export type { Recording } from "./recording";
export { cassetteIdSchema, slugSchema, type Vertical, verticalSchema, verticals } from "./schemas";
export { catalogue } from "./store";
