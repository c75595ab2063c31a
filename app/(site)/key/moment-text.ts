const moments = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** A moment of an answer for people: `21 Nov 2026, 09:30 UTC`. */
export function momentText(at: string | Date): string {
  return `${moments.format(new Date(at))} UTC`;
}
