import type { Random } from "./seeded-random";

/** Most padding spaces before an event's last brace, as seen on the provider's wire. */
const maxPaddingLength = 15;

/** `ping` is written with a space and without padding, unlike every other event. */
export const pingText = 'event: ping\ndata: {"type": "ping"}\n\n';

/** One SSE event in the provider's spelling: compact JSON with spaces before its last brace. */
export function formatEvent(data: { type: string } & Record<string, unknown>, random: Random): string {
  const padding = " ".repeat(random.integer(0, maxPaddingLength));
  return `event: ${data.type}\ndata: ${JSON.stringify(data).slice(0, -1)}${padding}}\n\n`;
}
