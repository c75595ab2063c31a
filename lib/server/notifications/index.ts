export {
  announceChanges,
  announceTools,
  type Follower,
  follow,
  type Tail,
  type Topic,
  tailNotifications,
  toolsTopic,
  vendorTopic,
} from "./notifications";
export { newestPosition, pruneNotifications } from "./store";
