import { randomUUID } from "node:crypto";
import { del, put } from "@vercel/blob";
import { type Database, queryDirectly } from "#lib/platform/database/index";
import type { BlobSettings } from "#lib/replay/cassettes/stores/blob-store";
import type { LastWork } from "./database-checks";

/** Most webhooks whose secrets are read. */
const maxWebhookCount = 10_000;
/** Most e-mail digests whose contacts are read. */
const maxDigestCount = 10_000;

/** Returns when a run was last begun, and when a job of each queue was last taken. */
export async function readLastWork(client: Database): Promise<LastWork> {
  const [row] = await queryDirectly(client, {
    text: `SELECT (SELECT extract(epoch FROM now() - max(started_at))::float8 FROM cron_runs) AS run,
      (SELECT COALESCE(json_object_agg(name, seconds), '{}') FROM (
        SELECT name, extract(epoch FROM now() - max(started_on))::float8 AS seconds FROM pgboss.job
        WHERE started_on IS NOT NULL GROUP BY name) AS taken) AS taken`,
  });
  return { runS: row?.run as number | null, takenS: row?.taken as LastWork["takenS"] };
}

/** Returns the encrypted secrets of webhooks. */
export async function readSealedSecrets(client: Database): Promise<{ id: string; sealed: string }[]> {
  const columns = { id: true, secret: true, previousSecret: true } as const;
  const webhooks = await client.webhook.findMany({ select: columns, orderBy: { id: "asc" }, take: maxWebhookCount });
  return webhooks.flatMap(({ id, secret, previousSecret }) =>
    [secret, ...(previousSecret === null ? [] : [previousSecret])].map((sealed) => ({ id, sealed })),
  );
}

/** Returns the encrypted contacts of e-mail digests. */
export async function readSealedContacts(client: Database): Promise<{ id: string; sealed: string }[]> {
  const select = { id: true, contact: true } as const;
  const digests = await client.digest.findMany({ select, orderBy: { id: "asc" }, take: maxDigestCount });
  return digests.map(({ id, contact }) => ({ id, sealed: contact }));
}

/** Writes a blob and deletes it. Throws if one of both fails. */
export async function writeToBlob({ token, prefix, access }: BlobSettings, abortSignal: AbortSignal): Promise<void> {
  const { url } = await put(`${prefix}doctor-${randomUUID()}`, "x", {
    token,
    access,
    addRandomSuffix: false,
    abortSignal,
  });
  await del(url, { token });
}
