import type { Config } from "#lib/platform/config";
import type { RequestView } from "./request-view";

type ProxySettings = Pick<Config, "TRUST_PROXY" | "VERCEL">;

/** Whether `X-Forwarded-*` headers are trusted: as TRUST_PROXY says; without it, only on Vercel. */
export function trustsProxy({ TRUST_PROXY, VERCEL }: ProxySettings): boolean {
  return TRUST_PROXY ? TRUST_PROXY === "on" : Boolean(VERCEL);
}

const withPort = /^(?:\[(?<v6>[^\]]+)\](?::\d+)?|(?<v4>\d+\.\d+\.\d+\.\d+):\d+)$/;

/**
 * Returns the client's address from `X-Forwarded-For`; null without one. Each proxy appends the address it saw, so only
 * the last entry comes from the nearest proxy: earlier ones may be forged by the client.
 */
export function lastForwardedFor(value: string | null): string | null {
  const last = value?.split(",").at(-1)?.trim();
  if (!last) return null;
  const { v4, v6 } = withPort.exec(last)?.groups ?? {};
  return v4 ?? v6 ?? last;
}

/**
 * Returns the client's address; null if unknown. Route handlers know it only from `X-Forwarded-For`, which Vercel or our
 * own server sets; Next's server fills it in from the socket if it is missing.
 */
export function clientAddress(
  { socketAddress, header }: Pick<RequestView, "socketAddress" | "header">,
  settings: ProxySettings,
): string | null {
  if (socketAddress !== undefined && !trustsProxy(settings)) return socketAddress;
  return lastForwardedFor(header("x-forwarded-for")) ?? socketAddress ?? null;
}
