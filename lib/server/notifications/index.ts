export { announceTools, announceVendorChange } from "./announce";
export { newestPosition, pruneNotifications } from "./store";
export { type Tail, tailNotifications } from "./tail";
export { type Topic, toolsTopic, vendorTopic } from "./topic";
