import { bindWith } from "#lib/server/http/bindings";
import { jsonReply, lastModified, textReply } from "#lib/server/http/reply";
import { withProducts } from "#lib/server/products";
import * as diffs from "#lib/tracking/diffs/index";
import * as digests from "#lib/tracking/digests/index";
import * as feed from "#lib/tracking/feed/index";
import * as history from "#lib/tracking/history/index";
import { listReports, listReportsEndpoint } from "#lib/tracking/intelligence/index";
import * as snapshots from "#lib/tracking/snapshots/index";
import * as vendors from "#lib/tracking/vendors/index";
import * as webhooks from "#lib/tracking/webhooks/index";
import { confirm, endDigest, showConfirmation, showUnsubscription } from "../standalone-pages/digest-links";

const bind = bindWith(withProducts);

function atomReply({ text, changedAt }: { text: string; changedAt: Date | null }) {
  return textReply(text, "application/atom+xml; charset=utf-8", lastModified(changedAt));
}

function jsonFeedReply({ feed, changedAt }: { feed: unknown; changedAt: Date | null }) {
  const type = { "Content-Type": "application/feed+json; charset=utf-8" };
  return jsonReply(feed, 200, { ...type, ...lastModified(changedAt) });
}

function fileReply({ text, headers }: feed.ChangeFile, type: string) {
  return textReply(text, type, headers);
}

export const bindings = [
  bind(feed.getFeedEndpoint, feed.listFeed),
  bind(feed.listChangesEndpoint, feed.getChangeList),
  bind(feed.exportChangesAsCsvEndpoint, async (context, input) =>
    fileReply(await feed.exportChanges(context, input, "csv"), "text/csv; charset=utf-8; header=present"),
  ),
  bind(feed.exportChangesAsJsonLinesEndpoint, async (context, input) =>
    fileReply(await feed.exportChanges(context, input, "jsonl"), "application/jsonl; charset=utf-8"),
  ),
  bind(feed.getAtomFeedEndpoint, async (context, input) => atomReply(await feed.getAtomFeed(context, input))),
  bind(feed.getJsonFeedEndpoint, async (context, input) => jsonFeedReply(await feed.getJsonFeed(context, input))),
  bind(feed.getVendorAtomFeedEndpoint, async (context, input) =>
    atomReply(await feed.getVendorAtomFeed(context, input)),
  ),
  bind(feed.getVendorJsonFeedEndpoint, async (context, input) =>
    jsonFeedReply(await feed.getVendorJsonFeed(context, input)),
  ),
  bind(vendors.listVendorsEndpoint, vendors.listVendors),
  bind(vendors.addVendorEndpoint, async (context, input) => {
    const { addition, isNew } = await vendors.addCustomVendor(context, input);
    return jsonReply(addition, isNew ? 201 : 200);
  }),
  bind(vendors.listCustomVendorsEndpoint, vendors.listCustomVendors),
  bind(vendors.searchVendorsEndpoint, vendors.searchVendors),
  bind(vendors.getVendorEndpoint, vendors.getVendor),
  bind(vendors.renameVendorEndpoint, vendors.renameVendor),
  bind(vendors.removeVendorEndpoint, vendors.removeCustomVendor),
  bind(vendors.getStatsEndpoint, vendors.getStats),
  bind(snapshots.getContentEndpoint, snapshots.getContent),
  bind(snapshots.getSandboxedContentEndpoint, async (context, input) => {
    const { text, headers } = await snapshots.getSandboxedContent(context, input);
    return textReply(text, "text/plain; charset=utf-8", headers);
  }),
  bind(history.listSnapshotsEndpoint, history.listSnapshots),
  bind(history.getSnapshotEndpoint, async (context, input) => {
    const { answer, headers } = await history.getSnapshot(context, input);
    return jsonReply(answer, 200, headers);
  }),
  bind(history.compareSnapshotsEndpoint, history.compareSnapshots),
  bind(diffs.listDiffsEndpoint, diffs.listDiffs),
  bind(diffs.getDiffEndpoint, diffs.getDiff),
  bind(listReportsEndpoint, listReports),
  bind(webhooks.listWebhooksEndpoint, webhooks.listWebhooks),
  bind(webhooks.createWebhookEndpoint, webhooks.createWebhook),
  bind(webhooks.deleteWebhookEndpoint, webhooks.deleteWebhook),
  bind(webhooks.purgeWebhooksEndpoint, webhooks.purgeWebhooks),
  bind(webhooks.changeWebhookEndpoint, webhooks.changeWebhook),
  bind(webhooks.testWebhookEndpoint, webhooks.sendTest),
  bind(webhooks.listDeliveriesEndpoint, webhooks.listDeliveries),
  bind(webhooks.redeliverEndpoint, webhooks.redeliver),
  bind(webhooks.rotateSecretEndpoint, webhooks.rotateSecret),
  bind(digests.listDigestsEndpoint, digests.listDigests),
  bind(digests.createDigestEndpoint, digests.createDigest),
  bind(digests.changeDigestEndpoint, digests.changeDigest),
  bind(digests.deleteDigestEndpoint, digests.deleteDigest),
  bind(digests.getConfirmationEndpoint, showConfirmation),
  bind(digests.confirmDigestEndpoint, confirm),
  bind(digests.getUnsubscriptionEndpoint, showUnsubscription),
  bind(digests.unsubscribeEndpoint, endDigest),
];
