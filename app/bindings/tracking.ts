import { bindWith } from "#lib/server/http/bindings";
import { jsonReply, lastModified, textReply } from "#lib/server/http/reply";
import { withProducts } from "#lib/server/products";
import { getDiff, getDiffEndpoint, listDiffs, listDiffsEndpoint } from "#lib/tracking/diffs/index";
import {
  changeDigest,
  changeDigestEndpoint,
  confirmDigestEndpoint,
  createDigest,
  createDigestEndpoint,
  deleteDigest,
  deleteDigestEndpoint,
  getConfirmationEndpoint,
  getUnsubscriptionEndpoint,
  listDigests,
  listDigestsEndpoint,
  unsubscribeEndpoint,
} from "#lib/tracking/digests/index";
import {
  getAtomFeed,
  getAtomFeedEndpoint,
  getFeedEndpoint,
  getJsonFeed,
  getJsonFeedEndpoint,
  getVendorAtomFeed,
  getVendorAtomFeedEndpoint,
  getVendorJsonFeed,
  getVendorJsonFeedEndpoint,
  listFeed,
} from "#lib/tracking/feed/index";
import {
  compareSnapshots,
  compareSnapshotsEndpoint,
  getSnapshot,
  getSnapshotEndpoint,
  listSnapshots,
  listSnapshotsEndpoint,
} from "#lib/tracking/history/index";
import { listReports, listReportsEndpoint } from "#lib/tracking/intelligence/index";
import {
  getContent,
  getContentEndpoint,
  getSandboxedContent,
  getSandboxedContentEndpoint,
} from "#lib/tracking/snapshots/index";
import {
  addCustomVendor,
  addVendorEndpoint,
  getStats,
  getStatsEndpoint,
  getVendor,
  getVendorEndpoint,
  listCustomVendors,
  listCustomVendorsEndpoint,
  listVendors,
  listVendorsEndpoint,
  removeCustomVendor,
  removeVendorEndpoint,
  searchVendors,
  searchVendorsEndpoint,
} from "#lib/tracking/vendors/index";
import {
  changeWebhook,
  changeWebhookEndpoint,
  createWebhook,
  createWebhookEndpoint,
  deleteWebhook,
  deleteWebhookEndpoint,
  listDeliveries,
  listDeliveriesEndpoint,
  listWebhooks,
  listWebhooksEndpoint,
  redeliver,
  redeliverEndpoint,
  rotateSecret,
  rotateSecretEndpoint,
  sendTest,
  testWebhookEndpoint,
} from "#lib/tracking/webhooks/index";
import { confirm, endDigest, showConfirmation, showUnsubscription } from "../standalone-pages/digest-links";

const bind = bindWith(withProducts);

function atomReply({ text, changedAt }: { text: string; changedAt: Date | null }) {
  return textReply(text, "application/atom+xml; charset=utf-8", lastModified(changedAt));
}

function jsonFeedReply({ feed, changedAt }: { feed: unknown; changedAt: Date | null }) {
  const type = { "Content-Type": "application/feed+json; charset=utf-8" };
  return jsonReply(feed, 200, { ...type, ...lastModified(changedAt) });
}

export const bindings = [
  bind(getFeedEndpoint, listFeed),
  bind(getAtomFeedEndpoint, async (context, input) => atomReply(await getAtomFeed(context, input))),
  bind(getJsonFeedEndpoint, async (context, input) => jsonFeedReply(await getJsonFeed(context, input))),
  bind(getVendorAtomFeedEndpoint, async (context, input) => atomReply(await getVendorAtomFeed(context, input))),
  bind(getVendorJsonFeedEndpoint, async (context, input) => jsonFeedReply(await getVendorJsonFeed(context, input))),
  bind(listVendorsEndpoint, listVendors),
  bind(addVendorEndpoint, async (context, input) => {
    const { addition, isNew } = await addCustomVendor(context, input);
    return jsonReply(addition, isNew ? 201 : 200);
  }),
  bind(listCustomVendorsEndpoint, listCustomVendors),
  bind(searchVendorsEndpoint, searchVendors),
  bind(getVendorEndpoint, getVendor),
  bind(removeVendorEndpoint, removeCustomVendor),
  bind(getStatsEndpoint, getStats),
  bind(getContentEndpoint, getContent),
  bind(getSandboxedContentEndpoint, async (context, input) => {
    const { text, headers } = await getSandboxedContent(context, input);
    return textReply(text, "text/plain; charset=utf-8", headers);
  }),
  bind(listSnapshotsEndpoint, listSnapshots),
  bind(getSnapshotEndpoint, async (context, input) => {
    const { answer, headers } = await getSnapshot(context, input);
    return jsonReply(answer, 200, headers);
  }),
  bind(compareSnapshotsEndpoint, compareSnapshots),
  bind(listDiffsEndpoint, listDiffs),
  bind(getDiffEndpoint, getDiff),
  bind(listReportsEndpoint, listReports),
  bind(listWebhooksEndpoint, listWebhooks),
  bind(createWebhookEndpoint, async (context, input) => jsonReply(await createWebhook(context, input), 201)),
  bind(deleteWebhookEndpoint, deleteWebhook),
  bind(changeWebhookEndpoint, changeWebhook),
  bind(testWebhookEndpoint, sendTest),
  bind(listDeliveriesEndpoint, listDeliveries),
  bind(redeliverEndpoint, redeliver),
  bind(rotateSecretEndpoint, rotateSecret),
  bind(listDigestsEndpoint, listDigests),
  bind(createDigestEndpoint, async (context, input) => jsonReply(await createDigest(context, input), 201)),
  bind(changeDigestEndpoint, changeDigest),
  bind(deleteDigestEndpoint, deleteDigest),
  bind(getConfirmationEndpoint, showConfirmation),
  bind(confirmDigestEndpoint, confirm),
  bind(getUnsubscriptionEndpoint, showUnsubscription),
  bind(unsubscribeEndpoint, endDigest),
];
