import type { Config } from "#lib/platform/config";
import type { RequestView } from "./request-view";

type ProxySettings = Pick<Config, "TRUST_PROXY" | "VERCEL">;

/** Whether `X-Forwarded-*` comes from a proxy of ours: as TRUST_PROXY says, else on Vercel. */
export function trustsProxy({ TRUST_PROXY, VERCEL }: ProxySettings): boolean {
  return TRUST_PROXY ? TRUST_PROXY === "on" : Boolean(VERCEL);
}

const withPort = /^(?:\[(?<v6>[^\]]+)\](?::\d+)?|(?<v4>\d+\.\d+\.\d+\.\d+):\d+)$/;

/**
 * The client's address in `X-Forwarded-For`, null without one. Each proxy adds to the right the address that it saw:
 * the last entry is what the nearest one says, and all before it may be the client's own invention.
 */
export function lastForwardedFor(value: string | null): string | null {
  const last = value?.split(",").at(-1)?.trim();
  if (!last) return null;
  const { v4, v6 } = withPort.exec(last)?.groups ?? {};
  return v4 ?? v6 ?? last;
}

/**
 * The address of the client, null where nobody says it. A route handler knows it by `X-Forwarded-For` alone, which
 * Vercel writes, or our own server; Next's server fills it from the socket where it is missing.
 */
export function clientAddress(
  { socketAddress, header }: Pick<RequestView, "socketAddress" | "header">,
  settings: ProxySettings,
): string | null {
  if (socketAddress !== undefined && !trustsProxy(settings)) return socketAddress;
  return lastForwardedFor(header("x-forwarded-for")) ?? socketAddress ?? null;
}
