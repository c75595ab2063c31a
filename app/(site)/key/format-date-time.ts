const dateTimes = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** Formats a date-time of a response: `21 Nov 2026, 09:30 UTC`. */
export function formatDateTime(at: string | Date): string {
  return `${dateTimes.format(new Date(at))} UTC`;
}
