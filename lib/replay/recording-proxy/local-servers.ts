import * as z from "zod";
import { type Cassette, upstreamUrl } from "#lib/replay/cassettes/index";
import { localHost, localName } from "#lib/replay/interception/index";
import type { Upstream } from "./upstreams";

/** Most servers of a test that are counted, and that a line names. */
const maxServerCount = 100;
const maxNamedCount = 5;

const count = z.int().min(0);

/** Numbers of answers by server. */
export const localSchema = z.record(z.string(), z.object({ played: count, recorded: count }));

type Counted = { local: z.infer<typeof localSchema> };

const hostOf = (baseUrl: string) => upstreamUrl(baseUrl, { path: "/", query: "" }).host;

/**
 * Returns the server on this machine that gave a recorded answer; undefined if none did, or one that is asked on purpose: that of
 * `addresses` or `upstreams`, and a provider that runs on this machine.
 */
function localServerOf(
  { provenance: { source } }: Pick<Cassette, "provenance">,
  upstream: Upstream,
): string | undefined {
  const { base_url: baseUrl, address } = source;
  if (typeof baseUrl !== "string" || address !== undefined || upstream.isConfigured) return undefined;
  const host = hostOf(baseUrl);
  const isProvider = upstream.providers.some(
    ({ upstream: own }) => own.baseUrlVariable !== null && localName(hostOf(own.baseUrl)) === localName(host),
  );
  return localHost.test(host) && !isProvider ? host : undefined;
}

/** Counts an answer that a server on this machine gave. */
export function addLocal(
  { local }: Counted,
  { cassette, upstream }: { cassette: Pick<Cassette, "provenance">; upstream: Upstream },
  what: "played" | "recorded",
): void {
  const host = localServerOf(cassette, upstream);
  if (host === undefined || (!(host in local) && Object.keys(local).length === maxServerCount)) return;
  const known = local[host] ?? { played: 0, recorded: 0 };
  local[host] = { ...known, [what]: known[what] + 1 };
}

/** Returns the sum of the counts of reports, by server. */
export function sumLocal(reports: readonly Counted[]): Counted["local"] {
  const sum: Counted["local"] = {};
  for (const [host, { played, recorded }] of reports.flatMap(({ local }) => Object.entries(local))) {
    const known = sum[host] ?? { played: 0, recorded: 0 };
    sum[host] = { played: known.played + played, recorded: known.recorded + recorded };
  }
  return sum;
}

/** Returns as a line which servers on this machine gave answers: one that is to be tested may not have been asked. */
export function describeLocal(reports: readonly Counted[]): string[] {
  const servers = Object.entries(sumLocal(reports)).map(([host, { played, recorded }]) => {
    const counts = [
      ...(played > 0 ? [`${played} played without asking it`] : []),
      ...(recorded > 0 ? [`${recorded} recorded`] : []),
    ];
    return `${host} (${counts.join(", ")})`;
  });
  if (servers.length === 0) return [];
  const more = servers.length > maxNamedCount ? ` and ${servers.length - maxNamedCount} more` : "";
  return [
    `  answers of servers on this machine: ${servers.slice(0, maxNamedCount).join(", ")}${more}. To test such a server, start it in the command, and unset variables such as OPENAI_BASE_URL that name it: then its own calls are recorded.`,
  ];
}
